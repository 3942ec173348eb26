package cleanup

import (
	"fmt"
	"strings"
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

// candidate is a [Candidate] as a plan keeps it: flat, with what repeats
// replaced by numbers, since a plan holds hundreds of thousands.
type candidate struct {
	upload  string
	version int64
	due     int64
	objects int64
	bytes   int64
	tenant  uint32
	bucket  uint32
	reason  uint32
	action  upload.Action
	op      uint8
	writes  bool
	// held: it is not to be published in this run.
	held bool
}

func (c *candidate) count() Amount { return Amount{Uploads: 1, Objects: c.objects, Bytes: c.bytes} }

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

// names keeps each distinct string once.
type names struct {
	list   []string
	number map[string]uint32
}

func (n *names) put(s string) uint32 {
	if i, ok := n.number[s]; ok {
		return i
	}
	if n.number == nil {
		n.number = map[string]uint32{}
	}
	s = strings.Clone(s) // it may be part of a whole record
	i := uint32(len(n.list))
	n.list = append(n.list, s)
	n.number[s] = i
	return i
}

func (n *names) text(i uint32) string { return n.list[i] }

// shardPlan is the part of a plan that lies in one shard of the index, in the
// order in which it is executed: a round's entries first, they are older.
type shardPlan struct {
	shard      int
	cursor     cursor
	round      leg
	front      leg
	candidates []candidate
	names      names
}

// leg is a stretch of the index that a plan covers.
type leg struct {
	Until time.Time `json:"until,omitzero"`
	Count int       `json:"count"` // how many candidates are of this leg
	// Ended: the index held nothing more until then.
	Ended bool `json:"ended,omitempty"`
}

func (s *shardPlan) id(c *candidate) upload.ID {
	return upload.ID{Tenant: s.names.text(c.tenant), Upload: c.upload}
}

// place is the position behind the candidate's entry.
func (s *shardPlan) place(c *candidate) ledger.Position {
	return ledger.Position{ID: s.id(c), At: time.UnixMilli(c.due).UTC()}
}

func (s *shardPlan) full(c *candidate) Candidate {
	return Candidate{
		Tenant: s.names.text(c.tenant), Upload: c.upload, Version: c.version, Due: c.due,
		Action: c.action.String(), Operation: operations[c.op], Reason: s.names.text(c.reason),
		Writes: c.writes, Bucket: s.names.text(c.bucket), Objects: c.objects, Bytes: c.bytes,
	}
}

// add keeps a candidate.
func (s *shardPlan) add(c Candidate) error {
	action, err := parseAction(c.Action)
	if err != nil {
		return err
	}
	op, err := operationNumber(c.Operation)
	if err != nil {
		return err
	}
	s.candidates = append(s.candidates, candidate{
		upload: strings.Clone(c.Upload), version: c.Version, due: c.Due, objects: c.Objects, bytes: c.Bytes,
		tenant: s.names.put(c.Tenant), bucket: s.names.put(c.Bucket), reason: s.names.put(c.Reason),
		action: action, op: op, writes: c.Writes,
	})
	return nil
}

// take decides about one entry of the index, given its record.
func (p Pass) take(s *shardPlan, entry ledger.Due, r upload.Record, cutoff, now time.Time) error {
	c := Candidate{
		Tenant: entry.ID.Tenant, Upload: entry.ID.Upload, Version: r.Version, Due: entry.At.UnixMilli(),
		Action: upload.Skip.String(), Reason: SkipIndexStale,
		Bucket: r.Bucket, Objects: r.Objects, Bytes: r.Bytes,
	}
	if r.State == upload.StateNone {
		return s.add(c)
	}
	if r.ID != entry.ID {
		return fmt.Errorf("look up upload %s: the ledger answered with another one", entry.ID)
	}
	// Of a record of a newer schema not even the due is read; Decide says why it
	// is passed over.
	if readable := r.Schema <= upload.Schema; readable && (r.DueAt.IsZero() || r.DueAt.After(cutoff)) {
		return s.add(c)
	}
	d, err := upload.Decide(p.Policy, r, cutoff, now)
	if err != nil {
		return fmt.Errorf("upload %s: %w", entry.ID, err)
	}
	if d.Operation == upload.OpTrim {
		c.Objects, c.Bytes = r.Superseded() // the rest is not at stake
	}
	c.Action, c.Reason, c.Operation = d.Action.String(), d.Reason, d.Operation
	c.Writes = d.Event != nil
	return s.add(c)
}
