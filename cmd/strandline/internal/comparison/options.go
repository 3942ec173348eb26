package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// Options are what the user asks for.
type Options struct {
	// Inventory is where manifest.json is, Manifests where the key lists are:
	// paths, or s3://bucket/key.
	Inventory string
	Manifests []string
	// ManifestTime is when the key lists were taken, RFC 3339.
	ManifestTime string
	// Findings is the file to write; empty for none. All also writes what is
	// no finding.
	Findings string
	All      bool

	Prefix           string
	OrphanGrace      time.Duration
	Settle           time.Duration
	MaxInventoryAge  time.Duration
	MaxOrphanPercent float64
	AllowEmpty       bool

	Threads int
	Memory  int64
	TempDir string

	// Announce, where set, is told before anything is read how many bytes of
	// TempDir may be needed.
	Announce func(disk int64)
	Progress func(reconcile.Progress)
	Now      func() time.Time
	// Buckets opens the files of a bucket; it is asked only if one is named.
	Buckets func(ctx context.Context, bucket string) (inventory.Files, error)
}

// leastMemory is what the program itself needs, and a little; mostMemory and
// mostThreads are more than any machine's: what is above is a slip.
const (
	leastMemory = 32e6
	mostMemory  = 1 << 40
	mostThreads = 256
)

// defaultMemory suits the engine's figures in docs/performance.md.
const defaultMemory = 96e6

// Defaults are the policy's.
func Defaults() Options {
	p := policy.Default()
	return Options{
		OrphanGrace: p.OrphanGrace, Settle: reconcile.Settle, MaxInventoryAge: p.MaxInventoryAge,
		MaxOrphanPercent: float64(p.MaxOrphanPercent), Memory: defaultMemory,
	}
}

// check refuses what cannot be meant, before anything is opened.
func (o Options) check() (manifestAt time.Time, err error) {
	switch {
	case o.Inventory == "":
		return manifestAt, errors.New("--inventory is not given: name the inventory's manifest.json")
	case len(o.Manifests) == 0:
		return manifestAt, errors.New("--manifest is not given: name at least one key list")
	case o.ManifestTime == "":
		return manifestAt, errors.New("--manifest-time is not given: say when the key lists were taken, such as 2026-11-29T12:00:00Z; what came to the bucket later is no orphan")
	case o.OrphanGrace < policy.LeastOrphanGrace:
		return manifestAt, fmt.Errorf("--orphan-grace is %s: the floor is %s", show.Duration(o.OrphanGrace), show.Duration(policy.LeastOrphanGrace))
	case o.Settle < 0:
		return manifestAt, fmt.Errorf("--settle is %s: expected 0 or more", show.Duration(o.Settle))
	case o.MaxInventoryAge <= 0:
		return manifestAt, fmt.Errorf("--max-inventory-age is %s: expected more than 0", show.Duration(o.MaxInventoryAge))
	case !(o.MaxOrphanPercent >= 0 && o.MaxOrphanPercent <= 100):
		return manifestAt, fmt.Errorf("--max-orphan-percent is %g: expected 0 to 100", o.MaxOrphanPercent)
	case o.Memory < leastMemory:
		return manifestAt, fmt.Errorf("--memory is %s: expected at least %s", bytesize.Text(o.Memory), bytesize.Text(leastMemory))
	case o.Memory > mostMemory:
		return manifestAt, fmt.Errorf("--memory is %s: expected at most %s", bytesize.Text(o.Memory), bytesize.Text(mostMemory))
	case o.Threads < 1 || o.Threads > mostThreads:
		return manifestAt, fmt.Errorf("--threads is %d: expected 1 to %d", o.Threads, mostThreads)
	case o.All && o.Findings == "":
		return manifestAt, errors.New("--all is of no use without --findings: name the file to write")
	}
	if info, err := os.Stat(cmp.Or(o.TempDir, os.TempDir())); err != nil || !info.IsDir() {
		return manifestAt, fmt.Errorf("--tmp is %q: expected a folder that is there", o.TempDir)
	}
	manifestAt, err = time.Parse(time.RFC3339, o.ManifestTime)
	if err != nil {
		return manifestAt, fmt.Errorf("--manifest-time is %q: expected RFC 3339 with a zone, such as 2026-11-29T12:00:00Z", o.ManifestTime)
	}
	return manifestAt, nil
}
