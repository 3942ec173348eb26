package installation_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

var reportsAboutVersions = []publicReport{
	{
		reports: []string{"s5cmd#386", "runs-on#329", "cyberduck#16472"},
		there:   "a bucket was said to be empty with versions or markers in it; deleting a marker made another",
		// Versions and markers are listed, and each goes by its own id. Without
		// the markers the key stays; without the id each delete adds one.
		here: "a key has two versions and a marker, another only a marker: all go, and nothing new is there",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(2))
			first, second := s.Record().ObjectKey(s.Key(1)), s.Record().ObjectKey(s.Key(2))
			w.hands.write(t, first, "1")
			w.hands.write(t, first, "2")
			w.mark(t, first)
			w.mark(t, second)
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.wantStanding(t, s, 4)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "list", "delete 4", "finish")
			w.wantStanding(t, s, 0)
		},
	},
	{
		reports: []string{"S3F2#287", "minio#11086"},
		there:   "a lifecycle rule was first, and the object that was gone already was an error for ever",
		// Absent is a success. As a failure it would be tried until it is parked.
		// The marker that a rule leaves is nobody's: no record names it.
		here: "a lifecycle rule has taken the objects before the message comes: done, and its marker is left alone",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			for seq := 1; seq <= 2; seq++ {
				o := s.Record().Manifest.Object(s.Key(seq))
				key := s.Record().ObjectKey(o.Key)
				w.mark(t, key)
				version := uploadtest.Version{Bucket: w.Bucket, Key: key, VersionID: o.VersionID}
				w.Stores.Objects.Delete(t.Context(), w.Bucket, uploadtest.Condemned(t, version))
			}
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			if r := w.wantState(t, s, upload.StateDeleted); r.Attempts != 0 {
				t.Errorf("%d attempts were counted", r.Attempts)
			}
			w.wantTrail(t, s, "claim", "delete 2", "finish")
			w.wantStanding(t, s, 2)
			w.wantEmptyQueue(t)
		},
		strange: true,
	},
	{
		reports: []string{"localstack#8183", "versitygw#579"},
		there:   "a legal hold on one version was ignored, or kept its neighbours",
		// Each version has an answer of its own. Taken together, a version that
		// stands is called deleted, or one that may go is kept.
		here: "one key has a free version and one under legal hold: the free one goes, the other is retained",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1))
			key := s.Record().ObjectKey(s.Key(1))
			free, held := w.hands.write(t, key, "1"), w.hands.write(t, key, "2")
			w.hands.hold(t, key, held)
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "retained: legal hold")
			w.wantAbsent(t, key, free)
			w.wantStanding(t, s, 1)
			if r := w.wantState(t, s, upload.StateDeleted); r.Retained.Count != 1 || r.Retained.Reason != objects.ReasonLegalHold {
				t.Errorf("retained %+v", r.Retained)
			}
		},
	},
	{
		reports: []string{"s3cmd#28", "duckdb#3830", "aws-sdk-php#1790"},
		there:   "keys with spaces, plus signs, percent signs or XML's own characters were taken for others",
		// Ids are escaped into keys, keys are compared byte for byte, and decoded
		// once. Decoded twice, "a%20b" is the tenant "a b".
		here: "tenants' names differ only in how a URL or XML is written: one upload is purged at a time, the others stay",
		run: func(t *testing.T, w *world) {
			tenants := []string{"a b", "a+b", "a%20b", "a%2Bb", "é", "日本", "%", `<>&"'`}
			uploads := make([]*intake.Session, len(tenants))
			for i, name := range tenants {
				w.named = 0 // all have one id
				s := w.reserve(t, chunks(1), func(r *intake.Request) { r.Tenant = name })
				w.putUnrecorded(t, s, 1)
				uploads[i] = s
			}
			for i, s := range uploads {
				must(t, s.Renew(t.Context(), lease))
				must(t, s.Cancel(t.Context(), "user left the page"))
				for _, other := range uploads[i+1:] {
					must(t, other.Renew(t.Context(), lease))
				}
				w.Clock.Advance(afterDeadline)
				if report := w.pass(t); report.Tally.Published.Uploads != 1 {
					t.Fatalf("%d uploads are published", report.Tally.Published.Uploads)
				}
				w.drain(t)
				w.wantOutcomes(t, "deleted: cancelled")
				w.wantStanding(t, s, 0)
				if stand := w.bucket(t); len(stand) != len(uploads)-i-1 {
					t.Errorf("%d keys stand after %d purges", len(stand), i+1)
				}
			}
		},
		strange: true,
	},
}

var reportsOfPartialAnswers = []publicReport{
	{
		reports: []string{"distribution#3635"},
		there:   "the errors inside a successful answer were ignored: what stood was recorded as deleted",
		// Each version has its own outcome, and one that is denied or unclear is
		// no success. Without that the record says "gone" of two that stand.
		here: "of three deletes one is done, one denied and one broken: not finished, noted, listed, and the two go later",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.script.delete = func(do store, versions []upload.Condemned) []objects.Result {
				return append(do(versions[:1]),
					objects.Result{Condemned: versions[1], Outcome: objects.Denied, Code: "AccessDenied"},
					objects.Result{Condemned: versions[2], Outcome: objects.Unclear, Code: "InternalError"})
			}
			batch := w.take(t, 1)
			if left := w.work(t, w.Installation, batch); left != 1 {
				t.Error("the message was acknowledged")
			}
			w.wantOutcomes(t, "retrying: delete: access denied (AccessDenied)")
			if r := w.wantState(t, s, upload.StateDeleting); r.Attempts != 1 || r.UncertainAt.IsZero() {
				t.Errorf("%d attempts, uncertain at %v", r.Attempts, r.UncertainAt)
			}
			w.wantStanding(t, s, 2)
			w.script.clear()
			w.work(t, w.Installation, w.again(t, batch, 2*time.Hour))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 1", "unclear", "retry", "reclaim", "list", "delete 2", "finish")
		},
	},
	{
		reports: []string{"riak_cs#899"},
		there:   "SlowDown inside a successful answer was ignored, or all of it was sent again",
		// Progress is written as far as it goes. Without it all ten are asked for
		// again, of a store that has just said that it is too much.
		here: "of ten deletes the last four are throttled: no attempt, and only the four are asked for again",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 10)
			w.script.delete = func(do store, versions []upload.Condemned) []objects.Result {
				return append(do(versions[:6]), throttled(do, versions[6:])...)
			}
			batch := w.take(t, 1)
			w.work(t, w.Installation, batch)
			w.wantOutcomes(t, "throttled: delete: throttled")
			w.script.clear()
			w.work(t, w.Installation, w.again(t, batch, 2*time.Minute))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 6", "continue", "reclaim", "delete 4", "finish")
			if r := w.load(t, s.ID()); r.Attempts != 0 {
				t.Errorf("%d attempts were counted", r.Attempts)
			}
		},
	},
	{
		reports: []string{"lakeFS#5729"},
		there:   "a sweep that was throttled began anew each time, and made no progress",
		// What was deleted is written down, and a throttled upload is only hidden.
		// Without that eight workers throttle one another for ever.
		here: "eight workers meet a store that takes five calls at once: five go, the others wait and then go too",
		run: func(t *testing.T, w *world) {
			const workers, atOnce = 8, 5
			for range workers {
				w.cancelled(t, 1)
			}
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 8")
			var inFlight atomic.Int64
			var refused sync.WaitGroup
			refused.Add(workers - atOnce)
			w.script.delete = func(do store, versions []upload.Condemned) []objects.Result {
				if inFlight.Add(1) > atOnce {
					defer refused.Done()
					return throttled(do, versions)
				}
				refused.Wait() // the first five are slow: all eight are under way
				return do(versions)
			}
			batch := w.take(t, workers)
			var group sync.WaitGroup
			for i, worker := range w.others(t, workers) {
				group.Go(func() { w.work(t, worker, batch[i:i+1]) })
			}
			group.Wait()
			w.wantOutcomes(t, append(times(atOnce, "deleted: cancelled"), times(workers-atOnce, "throttled: delete: throttled")...)...)
			w.script.clear()
			w.work(t, w.Installation, w.again(t, batch[:workers-atOnce], 16*time.Minute))
			w.wantOutcomes(t, times(workers-atOnce, "deleted: cancelled")...)
			w.wantEmptyQueue(t)
		},
		memoryOnly: true,
	},
}

var reportsOfTheQueue = []publicReport{
	{
		reports: []string{"spacecat#2876"},
		there:   "messages that were only throttled used up their receives, and went to the dead-letter queue",
		// A throttle is no attempt, and the queue's own count is far away. Were
		// either counted, a busy store would dead-letter healthy uploads.
		here: "a message is throttled ten times: no attempt is counted, it is no dead letter, and it goes in the end",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			w.script.delete = throttled
			batch := w.take(t, 1)
			for range 10 {
				w.work(t, w.Installation, batch)
				w.wantOutcomes(t, "throttled: delete: throttled")
				batch = w.again(t, batch, 16*time.Minute)
			}
			if batch[0].Receives != 11 || schema.MaxReceives < 100 {
				t.Errorf("received %d times, of %d", batch[0].Receives, schema.MaxReceives)
			}
			wantSame(t, "dead letters", w.hands.letters(t), nil)
			w.script.clear()
			w.work(t, w.Installation, batch)
			w.wantOutcomes(t, "deleted: cancelled")
			if r := w.wantState(t, s, upload.StateDeleted); r.Attempts != 0 {
				t.Errorf("%d attempts were counted", r.Attempts)
			}
		},
	},
}

// others are so many more workers of the installation.
func (w *world) others(t *testing.T, n int) []*installation.Installation {
	t.Helper()
	all := make([]*installation.Installation, n)
	for i := range all {
		all[i] = w.another(t)
	}
	return all
}
