package installation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// publicReport is a fault that another system that cleans up storage has
// shipped, as the public report of it tells, and the same situation here.
// docs/cases.md lists them all, those too that other tests cover.
type publicReport struct {
	// reports are project and number.
	reports []string
	// there is what went wrong; here is the situation and what must happen.
	there, here string
	run         func(t *testing.T, w *world)
	policy      func(*policy.Policy)
	// strange: what stands in the end is not all described by its records, or
	// the ids need escaping, so that the world's invariants cannot be asked.
	strange bool
	// memoryOnly: on the wire it would only take longer.
	memoryOnly bool
}

func publicReports() []publicReport {
	return slices.Concat(reportsOfLiveData, reportsOfLateWrites, reportsAboutVersions, reportsOfPartialAnswers, reportsOfTheQueue)
}

func TestPublicReports(t *testing.T) {
	for _, p := range places() {
		for _, r := range publicReports() {
			if p.name == "wire" && r.memoryOnly {
				continue
			}
			t.Run(p.name+"/"+r.here, func(t *testing.T) {
				t.Parallel()
				rules := usual()
				if r.policy != nil {
					r.policy(&rules)
				}
				w := p.make(t, rules)
				r.run(t, w)
				if r.strange {
					return
				}
				assertInvariants(t, w)
				w.letTimePass(t)
				assertInvariants(t, w)
			})
		}
	}
}

var reportsOfLiveData = []publicReport{
	{
		reports: []string{"tus-ruby-server#13", "immich#7436"},
		there:   "a prefix, or a path written otherwise, stood for the key: neighbours were deleted",
		// Without equality of keys, byte for byte, whatever the listing shows
		// below the prefix is condemned with the upload.
		here: "keys that begin alike, or are written otherwise, stand beside an upload that is purged: they stay",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1), func(r *intake.Request) { r.Prefix = "up" })
			w.putUnrecorded(t, s, 1) // found by listing, not by its version
			own := s.Record().ObjectKey(s.Key(1))
			for _, key := range []string{
				"/" + own, "up2/x", "upload/x", "upload/acme/u-1/1/1", "up//acme/u-1/1/1", "UP/acme/u-1/1/1", "up/acme/u-10/1/1",
				own + "/", own + "0", own + ".bak", "up/acme/u-1/01/1", "up/acme/u-1/1/01", "up/acme/u-1/1/+1",
			} {
				w.putStranger(t, key)
			}
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			if stand := w.bucket(t); len(stand[own]) != 0 || len(stand) != len(w.strangers) {
				t.Errorf("%d keys stand, want the %d that are not the upload's", len(stand), len(w.strangers))
			}
		},
		strange: true,
	},
	{
		reports: []string{"distribution#3045", "quay#6318"},
		there:   "the collector ran during a push, and deleted what was being written",
		// Receiving has no row for a claim. With one, whatever message is about
		// the upload deletes it under its writer's hands.
		here: "an upload is being written, its objects stand and are referred to by nobody yet: nothing touches it",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, hold(time.Hour), chunks(3))
			w.put(t, s, 1, 2)
			w.Clock.Advance(2 * time.Hour) // the hold is over
			must(t, s.Renew(t.Context(), lease))
			w.wantPass(t, "kept 1")
			w.send(t, w.Command(w.load(t, s.ID()))) // nobody's, and of the right version
			w.drain(t)
			w.wantOutcomes(t, "skipped: revived")
			w.wantStanding(t, s, 2)
			must(t, s.Complete(t.Context(), append(w.put(t, s, 3), s.Key(1), s.Key(2)), time.Time{}))
		},
	},
	{
		reports: []string{"iceberg#4194"},
		there:   "a writer took longer than the age at which its files counted as orphans",
		// The age counts from the last activity, and a lease that is renewed is
		// activity. Counted from the beginning, the transfer is cut off.
		here:   "an upload of four hours under a grace of three renews its lease: kept, and it completes",
		policy: func(p *policy.Policy) { p.ActivityGrace = 3 * time.Hour },
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, hold(time.Hour), chunks(1))
			for range 25 {
				w.Clock.Advance(10 * time.Minute)
				must(t, s.Renew(t.Context(), lease))
			}
			w.wantPass(t, "kept 1")
			w.Clock.Advance(time.Hour)
			w.wantPass(t)
			must(t, s.Complete(t.Context(), w.put(t, s, 1), time.Time{}))
			w.Clock.Advance(30 * day)
			w.wantPass(t)
			w.wantStanding(t, s, 1)
		},
	},
	{
		reports: []string{"iceberg#4194"},
		there:   "the same, of a writer that is not heard of while it writes",
		// A claim waits for the deadline, whatever the graces. Without
		// deadlineGraceOver the object is purged while it is being sent.
		here: "an upload of four hours is silent under a grace of three: marked, not claimed before its deadline, and it completes",
		policy: func(p *policy.Policy) {
			p.ActivityGrace, p.SecondGrace = 3*time.Hour, time.Hour
		},
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, hold(time.Hour), chunks(1))
			w.Clock.Advance(4 * time.Hour)
			w.wantPass(t, "marked 1")
			w.Clock.Advance(70 * time.Minute) // the second grace is over, the deadline is not
			w.wantPass(t, "kept 1")
			w.send(t, w.Command(w.load(t, s.ID())))
			w.drain(t)
			w.wantOutcomes(t, "skipped: not eligible")
			version := w.hands.write(t, s.Record().ObjectKey(s.Key(1)), "it took long")
			must(t, s.RecordObject(t.Context(), upload.Object{Key: s.Key(1), VersionID: version, Size: 12}))
			must(t, s.Complete(t.Context(), []upload.Key{s.Key(1)}, time.Time{}))
			w.Clock.Advance(30 * day)
			w.wantPass(t)
			w.wantStanding(t, s, 1)
		},
	},
}

var reportsOfLateWrites = []publicReport{
	{
		reports: []string{"geolens#1401"},
		there:   "a put landed after the sweep, and its object was lost or never seen again",
		// A deleted record condemns nothing more by itself. With a row for it,
		// whatever lands there later is deleted unseen.
		here: "a put lands half an hour after the purge, and the message comes again: skipped, the object stands",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			again := w.Command(w.load(t, s.ID()))
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.Clock.Advance(30 * time.Minute)
			w.putUnrecorded(t, s, 1)
			w.send(t, again)
			w.drain(t)
			w.wantOutcomes(t, "skipped: already deleted")
			w.Clock.Advance(day)
			w.wantPass(t)
			w.wantStanding(t, s, 1)
		},
		strange: true,
	},
	{
		reports: []string{"rails#35386"},
		there:   "the job was seen before what it was about was committed, and dropped",
		// A record that is older than its command is waited for. Taken as it is,
		// the message is acknowledged, and nothing comes of the upload for hours.
		here: "a message is there before the write that it is about: it waits, and is not dropped",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(2))
			w.put(t, s, 1, 2)
			before := w.load(t, s.ID())
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			batch := w.take(t, 1)
			w.script.look = func(func() ([]upload.Record, error)) ([]upload.Record, error) { return []upload.Record{before}, nil }
			if left := w.work(t, w.Installation, batch); left != 1 {
				t.Error("the message was acknowledged")
			}
			w.wantOutcomes(t, "waiting: record older than the command")
			w.script.clear()
			w.work(t, w.Installation, w.again(t, batch, 6*time.Minute))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantEmptyQueue(t)
		},
	},
}

// mark puts a delete marker on a key, as a lifecycle rule or a person does, and
// returns its version.
func (w *world) mark(t *testing.T, key string) string {
	t.Helper()
	if h, ok := w.hands.(memoryHands); ok {
		return h.Objects.Mark(w.Bucket, key).VersionID
	}
	h := w.hands.(wireHands)
	out, err := awsconf.S3(h.Config).DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(w.Bucket), Key: aws.String(key)})
	must(t, err)
	return aws.ToString(out.VersionId)
}
