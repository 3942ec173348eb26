package reclaim_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

func TestSourcesThatWorkAreReclaimedAndEveryCheckSpeaks(t *testing.T) {
	spoke := map[reclaim.Check]bool{}
	for _, s := range reclaim.Judge(healthy()) {
		if s.Verdict != reclaim.Reclaimed {
			t.Errorf("%s is %s", s.Name, s.Verdict)
		}
		for _, e := range s.Evidence {
			spoke[e.Check] = true
			if e.Level != reclaim.OK && e.Level != reclaim.Note {
				t.Errorf("%s: %+v", s.Name, e)
			}
		}
	}
	for _, c := range reclaim.Checks() {
		if !spoke[c] {
			t.Errorf("the check of %s says nothing", c)
		}
	}
}

// A look that somebody forgets to make, or that fails, would read as "all is
// well", of a source whose objects stay.
func TestOfASourceOfWhichNothingIsKnownNothingGoodIsSaid(t *testing.T) {
	f := reclaim.Facts{Sources: []reclaim.Source{{Source: orders()}, {Source: shop()}}}
	for _, s := range reclaim.Judge(f) {
		if s.Verdict == reclaim.Reclaimed {
			t.Errorf("%s is %s", s.Name, s.Verdict)
		}
		for _, e := range s.Evidence {
			if e.Level == reclaim.OK {
				t.Errorf("of nothing it says %+v", e)
			}
		}
	}
	for name, spoil := range map[string]func(*reclaim.Facts){
		"the stream":  func(f *reclaim.Facts) { f.Sources[0].Stream = denied[reclaim.Stream]() },
		"the readers": func(f *reclaim.Facts) { f.Sources[0].Readers = denied[[]reclaim.Reader]() },
		"the sample":  func(f *reclaim.Facts) { f.Sources[0].Sample = denied[reclaim.Sample]() },
		"the relay":   func(f *reclaim.Facts) { f.Relay = denied[reclaim.Told]() },
		"the worker":  func(f *reclaim.Facts) { f.Worker = denied[reclaim.Told]() },
		"the state":   func(f *reclaim.Facts) { f.Sources[0].Last = denied[release.State]() },
		"the ledger":  func(f *reclaim.Facts) { f.Waiting = denied[reclaim.Waiting]() },
		"the letters": func(f *reclaim.Facts) { f.Dead = denied[reclaim.Dead]() },
		"the holds":   func(f *reclaim.Facts) { f.Sources[0].Orphans = denied[reclaim.Orphans]() },
	} {
		f := healthy()
		spoil(&f)
		if got := reclaim.Judge(f)[0]; got.Verdict == reclaim.Reclaimed {
			t.Errorf("%s may not be seen, and the source is %s", name, got.Verdict)
		}
	}
}

func denied[T any]() checkup.Look[T] {
	return checkup.Look[T]{Failed: checkup.Failure{Kind: checkup.Denied, Says: "access denied: AccessDeniedException"}}
}

func absent[T any]() checkup.Look[T] {
	return checkup.Look[T]{Failed: checkup.Failure{Kind: checkup.Absent}}
}

// change is one thing that is not as it should be, and what is said about it: of
// the table, or where outbox is set of the outbox.
type change struct {
	name    string
	spoil   func(f *reclaim.Facts)
	outbox  bool
	verdict reclaim.Verdict
	check   reclaim.Check
	says    string
	fix     string
}

func changes() []change {
	const reclaimed, fragile, orphaned = reclaim.Reclaimed, reclaim.Fragile, reclaim.Orphaned
	stream := func(change func(*reclaim.Stream)) func(*reclaim.Facts) {
		return func(f *reclaim.Facts) { change(&f.Sources[0].Stream.Got) }
	}
	sample := func(s reclaim.Sample) func(*reclaim.Facts) {
		return func(f *reclaim.Facts) { f.Sources[0].Sample = checkup.Saw(s) }
	}
	return []change{
		{"no table", func(f *reclaim.Facts) {
			f.Sources[0].Stream, f.Sources[0].Sample = absent[reclaim.Stream](), absent[reclaim.Sample]()
		}, false, orphaned, reclaim.CheckStream, "there is no table shop-orders", "name the source's table"},
		{"no stream", stream(func(s *reclaim.Stream) { s.View, s.ARN = "", "" }),
			false, orphaned, reclaim.CheckStream, "it is off", "StreamViewType=NEW_AND_OLD_IMAGES"},
		{"a stream without old images", stream(func(s *reclaim.Stream) { s.View = "NEW_IMAGE" }),
			false, orphaned, reclaim.CheckStream, "it carries NEW_IMAGE", "turn it off, and"},
		{"the relay may not be looked at, and reads the stream", func(f *reclaim.Facts) { f.Relay = denied[reclaim.Told]() },
			false, fragile, reclaim.CheckReader, "acme-relay, enabled", ""},
		{"nobody reads the stream", func(f *reclaim.Facts) { f.Sources[0].Readers = checkup.Saw([]reclaim.Reader{{Function: "other"}}) },
			false, orphaned, reclaim.CheckReader, "no relay reads its stream", "deploy with this source"},
		{"the reader is switched off", func(f *reclaim.Facts) { f.Sources[0].Readers.Got[0].State = "Disabled" },
			false, orphaned, reclaim.CheckReader, "is disabled", "--enabled"},
		{"the last batch failed", func(f *reclaim.Facts) {
			f.Sources[0].Readers.Got[0].Says = "PROBLEM: Function call failed"
		}, false, fragile, reclaim.CheckReader, "Function call failed", "relay's log"},
		{"the reader fails batches whole", func(f *reclaim.Facts) { f.Sources[0].Readers.Got[0].ByNumber = false },
			false, fragile, reclaim.CheckReader, "by number", "ReportBatchItemFailures"},
		{"nobody reads the queue", func(f *reclaim.Facts) { f.QueueReaders = checkup.Saw([]reclaim.Reader{}) },
			true, orphaned, reclaim.CheckReader, "no relay reads the queue", "deploy"},
		{"no queue", func(f *reclaim.Facts) { f.Queue = absent[reclaim.Queue]() },
			true, orphaned, reclaim.CheckQueue, "there is no queue of releases", "--releases-url"},

		{"no relay", func(f *reclaim.Facts) { f.Relay = absent[reclaim.Told]() },
			false, orphaned, reclaim.CheckTold, "there is no relay", "deploy"},
		{"the relay is not told", func(f *reclaim.Facts) { f.Relay.Got.Sources = []source.Source{shop()} },
			false, orphaned, reclaim.CheckTold, "the relay is not told of it: nothing of it is released", "deploy"},
		{"the worker is not told", func(f *reclaim.Facts) { f.Worker.Got.Sources = nil },
			false, fragile, reclaim.CheckTold, "the worker is not told of it: its rows are not asked", "deploy"},
		{"the worker is not told of an outbox", func(f *reclaim.Facts) { f.Worker.Got.Sources = nil },
			true, reclaimed, reclaim.CheckTold, "told the same", ""},
		{"the relay is told otherwise", func(f *reclaim.Facts) {
			other := orders()
			other.Paths.Key = "image"
			f.Relay.Got.Sources = []source.Source{other, shop()}
		}, false, fragile, reclaim.CheckTold, "the relay is told otherwise", "deploy"},
		{"the relay cannot read its sources", func(f *reclaim.Facts) { f.Relay.Got.Sources, f.Relay.Got.Wrong = nil, "source 1: name" },
			false, orphaned, reclaim.CheckTold, "cannot read its sources: source 1: name", "deploy"},

		{"an empty table", sample(reclaim.Sample{}), false, reclaimed, reclaim.CheckMapping, "no row to try it on", ""},
		{"no row can be read", sample(reclaim.Sample{Rows: 3, Unreadable: map[string]int{"tenant: the row has none": 3}}),
			false, orphaned, reclaim.CheckMapping, "of 3 rows none can be read: tenant: the row has none", "correct the source's paths"},
		{"some rows cannot be read", sample(reclaim.Sample{Rows: 3, Named: 2, Unreadable: map[string]int{"tenant: the row has none": 1}}),
			false, fragile, reclaim.CheckMapping, "of 3 rows 1 cannot be read", "is parked when the row goes"},
		{"no row names anything", sample(reclaim.Sample{Rows: 3}), false, orphaned, reclaim.CheckMapping, "of 3 rows none names an object", "paths"},
		{"all URLs are of other buckets", sample(reclaim.Sample{Rows: 3, Foreign: 3}), false, orphaned, reclaim.CheckMapping, "of a bucket of the source's", "name the bucket"},
		{"some URLs are of other buckets", sample(reclaim.Sample{Rows: 3, Named: 2, Foreign: 1}), false, reclaimed, reclaim.CheckMapping, "1 URL is of no bucket", ""},
		{"none of the objects is there", sample(reclaim.Sample{Rows: 3, Named: 3, Asked: 3}), false, orphaned, reclaim.CheckMapping, "of 3 objects that rows name none is there", "paths"},
		{"URLs that the index cannot be asked for", sample(reclaim.Sample{Rows: 3, Named: 3, Unfindable: 2}),
			false, fragile, reclaim.CheckMapping, "2 objects are spelled so", "docs/outbox.md"},

		{"no index", func(f *reclaim.Facts) {
			one := orders()
			one.Index = nil
			f.Sources[0].Source = one
			f.Relay.Got.Sources, f.Worker.Got.Sources = []source.Source{one}, nil
		}, false, fragile, reclaim.CheckIndex, "goes with the first of them", "make an index"},
		{"the index is not there", stream(func(s *reclaim.Stream) { s.Index = reclaim.Index{} }),
			false, orphaned, reclaim.CheckIndex, "index by-photo is not there", "make the index"},
		{"the index is of another attribute", stream(func(s *reclaim.Stream) { s.Index.Attribute = "image" }),
			false, orphaned, reclaim.CheckIndex, "partition key image", "own attribute"},
		{"the index is of numbers", stream(func(s *reclaim.Stream) { s.Index.Type = "N" }), false, orphaned, reclaim.CheckIndex, "photo (N)", "a string"},
		{"the index is being made", stream(func(s *reclaim.Stream) { s.Index.Status = "CREATING" }), false, fragile, reclaim.CheckIndex, "is creating", "wait"},

		{"no event was ever seen", func(f *reclaim.Facts) { f.Sources[0].Last = checkup.Saw(release.State{}) },
			false, reclaimed, reclaim.CheckLast, "has seen none", ""},
		{"a release waits too long", func(f *reclaim.Facts) {
			f.Waiting = checkup.Saw(reclaim.Waiting{"orders": {Count: 1, Oldest: now.Add(-20 * time.Hour)}})
		}, false, fragile, reclaim.CheckPending, "1 release waits, the oldest came", "strandline explain"},
		{"nothing is deleted yet", func(f *reclaim.Facts) {
			f.Gate = checkup.Saw(gate.State{})
			f.Waiting = checkup.Saw(reclaim.Waiting{"orders": {Count: 900, Oldest: now.Add(-20 * 24 * time.Hour)}})
		}, false, reclaimed, reclaim.CheckPending, "the gate is in report-only, nothing is deleted", ""},
		{"a release was parked", func(f *reclaim.Facts) {
			f.Dead = checkup.Saw(reclaim.Dead{BySource: map[string]int64{"orders": 2, "shop": 1}})
		}, false, fragile, reclaim.CheckParked, "2 releases could not be read", "dlq list --queue releases"},
		{"a letter of nobody", func(f *reclaim.Facts) { f.Dead = checkup.Saw(reclaim.Dead{BySource: map[string]int64{"": 1}}) },
			true, fragile, reclaim.CheckParked, "1 letter is of no known source", "dlq list"},
		{"letters of another source", func(f *reclaim.Facts) { f.Dead = checkup.Saw(reclaim.Dead{BySource: map[string]int64{"orders": 1}}) },
			true, reclaimed, reclaim.CheckParked, "nothing", ""},
		{"not all letters were seen", func(f *reclaim.Facts) { f.Dead = checkup.Saw(reclaim.Dead{Partial: true}) },
			true, fragile, reclaim.CheckParked, "not all dead letters were seen", "quarter of an hour"},
		{"a purge is parked", func(f *reclaim.Facts) { f.Waiting = checkup.Saw(reclaim.Waiting{"orders": {Parked: 3}}) },
			false, fragile, reclaim.CheckParked, "3 releases wait for a person", "parked retry"},
		{"orphans like its keys", func(f *reclaim.Facts) {
			f.Sources[0].Orphans = checkup.Saw(reclaim.Orphans{Count: 7, AsOf: now.Add(-day)})
		}, false, fragile, reclaim.CheckOrphans, "7 objects that nobody owns look like its keys", "holds list"},
		{"no inventory yet", func(f *reclaim.Facts) { f.Sources[0].Orphans = checkup.Saw(reclaim.Orphans{}) },
			false, reclaimed, reclaim.CheckOrphans, "no inventory", ""},
	}
}

const day = 24 * time.Hour

func TestEachThingThatIsWrongIsSaidWithItsFixAndChangesTheVerdict(t *testing.T) {
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			f := healthy()
			c.spoil(&f)
			got := reclaim.Judge(f)[0]
			if c.outbox {
				got = reclaim.Judge(f)[1]
			}
			if got.Verdict != c.verdict {
				t.Errorf("it is %s, expected %s: %+v", got.Verdict, c.verdict, got.Evidence)
			}
			if !slices.ContainsFunc(got.Evidence, func(e reclaim.Evidence) bool {
				return e.Check == c.check && strings.Contains(e.Says, c.says) && strings.Contains(e.Fix, c.fix)
			}) {
				t.Errorf("expected %s: %q, fix %q, of\n%+v", c.check, c.says, c.fix, got.Evidence)
			}
			for _, e := range got.Evidence {
				bad := e.Level != reclaim.OK && e.Level != reclaim.Note
				if bad != (e.Fix != "") || strings.Contains(e.Says+e.Fix, "\n") {
					t.Errorf("not one line, or a finding without its fix: %+v", e)
				}
			}
		})
	}
}

func TestKeysOfOneOriginHaveOneShape(t *testing.T) {
	for key, want := range map[string]string{
		"photos/17.jpg": "photos/", "photos/18.png": "photos/", "17.jpg": "",
		"users/ab12/avatars/x": "users/*/avatars/", "users/9/avatars/y": "users/*/avatars/", "2026/11/30/a": "*/*/*/",
	} {
		if got := reclaim.Shape(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
