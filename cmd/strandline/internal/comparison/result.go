package comparison

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// Result is what a comparison found, and of what.
type Result struct {
	Summary reconcile.Summary
	Inputs  Inputs
	// Findings is the file that was written, if one was asked for.
	Findings *Written

	OrphanGrace, Settle time.Duration
	MaxOrphanPercent    float64
	Took                time.Duration
}

// Inputs are what was compared, as the user named it.
type Inputs struct {
	Inventory InventoryInput `json:"inventory"`
	Manifests []string       `json:"manifests"`
}

// InventoryInput is one inventory.
type InventoryInput struct {
	Manifest string `json:"manifest"`
	Format   string `json:"format"`
	Files    int    `json:"files"`
}

// Written is a file of findings.
type Written struct {
	File  string `json:"file"`
	Lines int64  `json:"lines"`
}

// Forget removes the findings file: of a run that failed none is left, also
// where only its summary could not be written.
func (r Result) Forget() error {
	if r.Findings == nil {
		return nil
	}
	return os.Remove(r.Findings.File)
}

// Clean reports whether there is nothing that a person should see.
func (r Result) Clean() bool {
	for verdict, n := range r.Summary.Counts {
		if verdict.Finding() && n.Count > 0 {
			return false
		}
	}
	return true
}

// page is the summary as it is written: numbers by verdict, as a reader wants
// to compare them. Verdicts that were not given are absent.
type page struct {
	Bucket       string                                           `json:"bucket"`
	Created      time.Time                                        `json:"inventory_created"`
	ManifestAt   time.Time                                        `json:"manifest_snapshot"`
	OrphanGrace  string                                           `json:"orphan_grace"`
	Settle       string                                           `json:"settle"`
	Counts       map[reconcile.Verdict]int64                      `json:"counts"`
	Bytes        map[reconcile.Verdict]int64                      `json:"bytes"`
	ByTenant     map[string]map[reconcile.Verdict]reconcile.Count `json:"by_tenant"`
	ByAge        map[string]map[reconcile.Verdict]reconcile.Count `json:"by_age"`
	Rows         int64                                            `json:"rows"`
	Entries      int64                                            `json:"entries"`
	Duplicates   int64                                            `json:"duplicates"`
	Unrecorded   int64                                            `json:"unrecorded"`
	HoldsBlocked bool                                             `json:"holds_blocked"`
	Inputs       Inputs                                           `json:"inputs"`
	Findings     *Written                                         `json:"findings,omitempty"`
	TempBytes    int64                                            `json:"temp_bytes"`
	Seconds      float64                                          `json:"seconds"`
}

// JSON writes the summary for programs.
func (r Result) JSON(out io.Writer) error {
	s := r.Summary
	p := page{
		Bucket: s.Bucket, Created: s.Created.UTC(), ManifestAt: s.ManifestAt.UTC(),
		OrphanGrace: show.Duration(r.OrphanGrace), Settle: show.Duration(r.Settle),
		Counts: map[reconcile.Verdict]int64{}, Bytes: map[reconcile.Verdict]int64{},
		ByTenant: s.ByTenant, ByAge: s.ByAge,
		Rows: s.Rows, Entries: s.Entries, Duplicates: s.Duplicates, Unrecorded: s.Unrecorded,
		HoldsBlocked: s.HoldsBlocked, Inputs: r.Inputs, Findings: r.Findings,
		TempBytes: s.TempBytes, Seconds: r.Took.Seconds(),
	}
	for verdict, n := range s.Counts {
		if n.Count > 0 {
			p.Counts[verdict], p.Bytes[verdict] = n.Count, n.Bytes
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(p)
}
