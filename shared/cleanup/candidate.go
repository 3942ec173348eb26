package cleanup

import (
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Candidate is one line of a plan: what the pass saw and decided about one
// entry of the due index. It holds no key.
type Candidate struct {
	Tenant    string           `json:"t"`
	Upload    string           `json:"u"`
	Version   int64            `json:"v"`
	Due       int64            `json:"d"` // the entry's instant, in milliseconds since 1970
	Action    string           `json:"a"`
	Operation upload.Operation `json:"o,omitempty"`
	Reason    string           `json:"r"`
	// Writes: a keep or stuck candidate's due is moved.
	Writes  bool   `json:"w,omitempty"`
	Bucket  string `json:"b,omitempty"`
	Objects int64  `json:"n,omitempty"`
	Bytes   int64  `json:"z,omitempty"`
}

// operations gives each operation the number that a candidate keeps.
var operations = [...]upload.Operation{"", upload.OpClaim, upload.OpReclaim, upload.OpTrim, upload.OpReopen}

func operationNumber(o upload.Operation) (uint8, error) {
	for i, known := range operations {
		if known == o {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("operation %q is unknown", o)
}

func parseAction(name string) (upload.Action, error) {
	for a := upload.Keep; a <= upload.Skip; a++ {
		if a.String() == name {
			return a, nil
		}
	}
	return 0, fmt.Errorf("action %q is unknown", name)
}

// shardPlan is the part of a plan that lies in one shard of the index, in the
// order in which it is executed: a round's entries first, they are older.
type shardPlan struct {
	shard  int
	cursor cursor
	round  leg
	front  leg
	chunks
}

// leg is a stretch of the index that a plan covers.
type leg struct {
	Until time.Time `json:"until,omitzero"`
	Count int       `json:"count"` // how many candidates are of this leg
	// Ended: the index held nothing more until then.
	Ended bool `json:"ended,omitempty"`
}

// place is the position behind the entry of candidate i.
func (s *shardPlan) place(i int) ledger.Position {
	k, c := s.at(i)
	return k.place(c)
}

// add keeps a candidate that was stored.
func (s *shardPlan) add(c Candidate) error {
	action, err := parseAction(c.Action)
	if err != nil {
		return err
	}
	op, err := operationNumber(c.Operation)
	if err != nil {
		return err
	}
	return s.put(candidate{
		version: c.Version, due: c.Due, objects: c.Objects, bytes: c.Bytes,
		action: action, op: op, writes: c.Writes,
	}, upload.ID{Tenant: c.Tenant, Upload: c.Upload}, c.Bucket, c.Reason)
}

// take decides about one entry of the index, given its record.
func (p Pass) take(s *shardPlan, entry ledger.Due, r *upload.Record, cutoff, now time.Time) error {
	c := candidate{
		version: r.Version, due: entry.At.UnixMilli(), objects: r.Objects, bytes: r.Bytes, action: upload.Skip,
	}
	if r.State == upload.StateNone {
		return s.put(c, entry.ID, r.Bucket, SkipIndexStale)
	}
	if r.ID != entry.ID {
		return fmt.Errorf("look up upload %s: the ledger answered with another one", entry.ID)
	}
	// Of a record of a newer schema not even the due is read; Decide says why it
	// is passed over.
	if readable := r.Schema <= upload.Schema; readable && (r.DueAt.IsZero() || r.DueAt.After(cutoff)) {
		return s.put(c, entry.ID, r.Bucket, SkipIndexStale)
	}
	d, err := upload.Decide(p.Policy, *r, cutoff, now)
	if err != nil {
		return fmt.Errorf("upload %s: %w", entry.ID, err)
	}
	if d.Operation == upload.OpTrim {
		c.objects, c.bytes = r.Superseded() // the rest is not at stake
	}
	if c.op, err = operationNumber(d.Operation); err != nil {
		return fmt.Errorf("upload %s: %w", entry.ID, err)
	}
	c.action, c.writes = d.Action, d.Event != nil
	return s.put(c, entry.ID, r.Bucket, d.Reason)
}
