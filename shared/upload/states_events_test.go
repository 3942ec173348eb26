package upload

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// What may happen in which state: "+" an event is accepted, "=" its result is
// there already and nothing changes, "±" both (by what the event and the
// record hold), "." it is always refused. A new state or event without a
// place here fails.
const statesAndEvents = `
                none  receiving assembling complete cancelled expired deleting deleted
reserve          +       =         .         .         .         .       .        .
adopt            +       .         .         .         =         .       =        =
acquire          .       +         +         .         .         +       .        .
renew            .       +         +         .         .         +       .        .
heartbeat        .       +         +         .         .         +       .        .
declare          .       +         +         .         .         +       .        .
record-object    .       +         +         =         .         +       .        .
begin-assembly   .       +         =         .         .         .       .        .
complete         .       +         +         =         .         .       .        .
cancel           .       +         +         +         =         +       .        .
release          .       +         +         +         =         +       =        =
add-reference    .       .         .         +         +         .       .        .
drop-reference   .       .         .         +         .         .       .        .
extend-hold      .       ±         .         ±         .         +       .        .
defer            .       +         +         +         .         +       .        .
repair           .       +         .         .         .         .       .        .
expire           .       +         .         +         .         .       .        .
claim            .       .         .         .         +         +       =        .
trim             .       .         .         +         .         .       .        .
resupersede      .       .         .         ±         .         .       .        .
reclaim          .       .         .         .         .         .       ±        .
continue         .       .         .         .         .         .       ±        .
unclear          .       .         .         +         .         .       +        .
retry            .       .         .         .         .         .       ±        .
unpark           .       .         .         .         .         .       ±        .
finish           .       .         .         .         .         .       +        =
reopen           .       .         .         .         .         .       =        +
withdraw         .       .         .         .         +         .       .        =
`

func TestEveryEventInEveryStateIsWhatTheTableSays(t *testing.T) {
	want := readGrid(t, statesAndEvents)
	got := map[State]map[Kind]string{}
	for _, s := range States() {
		got[s] = map[Kind]string{}
	}
	for _, r := range records() {
		for _, k := range Kinds() {
			for _, e := range candidates(k, r) {
				tryTwice(got, r, e)
			}
		}
	}
	for _, k := range Kinds() {
		for _, s := range States() {
			cell := got[s][k]
			if cell == "" {
				cell = "."
			}
			switch expected, known := want[k][s]; {
			case !known:
				t.Errorf("%s while %s has no expectation", k, s)
			case expected != cell:
				t.Errorf("%s while %s: got %q, expected %q", k, s, cell, expected)
			}
		}
	}
}

// tryTwice applies an event, and once more to what came of it.
func tryTwice(got map[State]map[Kind]string, r Record, e Event) {
	for range 2 {
		c, err := Step(policy.Default(), r, e, noon)
		if err != nil {
			return
		}
		mark := "+"
		if c.Nothing() {
			mark = "="
		}
		switch cell := got[r.State][e.Kind()]; {
		case cell == "":
			got[r.State][e.Kind()] = mark
		case cell != mark:
			got[r.State][e.Kind()] = "±"
		}
		r = c.After
	}
}

func readGrid(t *testing.T, grid string) map[Kind]map[State]string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(grid), "\n")
	var columns []State
	for _, name := range strings.Fields(lines[0]) {
		s, err := ParseState(name)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, s)
	}
	all := map[Kind]map[State]string{}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) != len(columns)+1 {
			t.Fatalf("%q has %d cells for %d states", line, len(cells)-1, len(columns))
		}
		row := map[State]string{}
		for i, s := range columns {
			row[s] = cells[i+1]
		}
		all[Kind(cells[0])] = row
	}
	if len(all) != len(Kinds()) || len(columns) != len(States()) {
		t.Fatalf("%d events and %d states have expectations, of %d and %d", len(all), len(columns), len(Kinds()), len(States()))
	}
	return all
}

// records are what an upload may look like: in every state, fresh and ripe,
// and every row's example.
func records() []Record {
	all := []Record{
		{}, settled(StateReceiving), held(settled(StateReceiving)), active(held(settled(StateReceiving))), leased(settled(StateReceiving)),
		active(settled(StateAssembling)), settled(StateAssembling), leased(settled(StateAssembling)),
		completed(StateComplete), held(completed(StateComplete)), active(held(completed(StateComplete))), referenced(completed(StateComplete)),
		trimmed(completed(StateComplete)), settled(StateCancelled), completed(StateCancelled),
		marked(held(settled(StateExpired)), StateReceiving), marked(held(completed(StateExpired)), StateComplete), fresh(marked(held(settled(StateExpired)), StateReceiving)),
		settled(StateDeleting), claimed(StateDeleting), parked(settled(StateDeleting)), settled(StateDeleted), retained(settled(StateDeleted)),
	}
	for _, row := range protocol.rows {
		all = append(all, examples[row.name].r)
	}
	for i := range all {
		if all[i].State != StateNone {
			all[i].Source = "s"
		}
	}
	return all
}

func fresh(r Record) Record {
	r.ExpiredAt = noon.Add(-time.Minute)
	return r
}

// candidates are events of a kind that fit the record's fence and version.
func candidates(k Kind, r Record) []Event {
	var all []Event
	for _, x := range examples {
		if x.e.Kind() == k {
			all = append(all, fitted(x.e, r))
		}
	}
	switch k {
	case KindAdopt:
		if r.State == StateReceiving || r.State == StateAssembling || r.State == StateComplete || r.State == StateExpired {
			return nil // an id that is derived from an object version is never an upload's own
		}
	case KindReopen:
		all = append(all, Reopen{Undead: true})
	case KindRecordObject:
		for _, o := range r.Manifest.Objects { // once more, as its writer may when an event was faster
			all = append(all, RecordObject{Fence: o.Attempt, Seq: o.Seq, VersionID: o.VersionID, Size: o.Size})
		}
	case KindComplete:
		all = append(all, Complete{Fence: r.Fence - 1, List: []Key{{3, 1}}})
	case KindResupersede:
		all = append(all, Resupersede{Key{3, 2}})
	}
	return all
}

func fitted(e Event, r Record) Event {
	switch e := e.(type) {
	case Renew:
		e.Fence = r.Fence
		return e
	case Continue:
		e.Through = r.PurgedThrough + 1
		return e
	case Defer:
		e.Version = r.Version
		return e
	case Finish:
		e.Gone = r.Manifest.declared() - r.PurgedThrough
		return e
	}
	return e
}
