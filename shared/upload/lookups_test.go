package upload

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/policy"
)

// A look-up that found nothing, or found another's record, never leads to a
// deletion: what can't be read is kept.
func TestARecordThatWasNotFoundLeadsToNothing(t *testing.T) {
	p := policy.Default()
	d, err := Decide(p, Record{}, ripe, noon)
	if err != nil || d.Event != nil || d.Action == Purge {
		t.Errorf("the pass would %s: %+v, %v", d.Action, d, err)
	}
	for _, op := range []Operation{OpClaim, OpReclaim, OpTrim, OpReopen} {
		c := Command{Operation: op, ID: ID{"t", "u"}, Version: 7, Cutoff: ripe}
		if got := Check(p, Record{}, c, noon); got.Verdict != Reject {
			t.Errorf("%s of a record that is not there: %+v", op, got)
		}
		other := settled(StateCancelled)
		other.Tenant = "t2"
		if got := Check(p, other, c, noon); got.Verdict != Reject {
			t.Errorf("%s of another tenant's record: %+v", op, got)
		}
	}
	if _, err := (Record{}).ClaimedBy(p, ""); err == nil {
		t.Error("no record, and no token, gave a warrant")
	}
	if _, err := (Record{}).Trimming(p, 0, ripe, noon); err == nil {
		t.Error("no record gave the warrant of a trim")
	}
}

// Without the schema's check a field that a newer program relies on would be
// ignored, and the record judged as if it were not there.
func TestARecordOfANewerSchemaIsNotJudged(t *testing.T) {
	p := policy.Default()
	for _, x := range examples {
		x.r.Schema = Schema + 1
		if _, err := Step(p, x.r, x.e, noon); err == nil {
			t.Errorf("%s accepted a record of schema %d", x.e.Kind(), x.r.Schema)
		}
	}
	r := settled(StateCancelled)
	r.Schema = Schema + 1
	if d, err := Decide(p, r, ripe, noon); err != nil || d.Action != Skip {
		t.Errorf("the pass would %s, %v", d.Action, err)
	}
	if got := Check(p, r, Command{ID: r.ID, Version: r.Version, Cutoff: ripe}, noon); got.Verdict != Reject {
		t.Errorf("the worker: %+v", got)
	}
}
