package reconcile_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

// begin begins a multipart upload at an instant.
func (s *site) begin(key string, at time.Time) string {
	s.t.Helper()
	now := s.now
	s.now = at
	defer func() { s.now = now }()
	id, err := s.store.BeginMultipart(s.t.Context(), bucket, key, "")
	must(s.t, err)
	return id
}

func (s *site) sweep() reconcile.Swept {
	s.t.Helper()
	swept, err := s.runner.Sweep(s.t.Context(), bucket)
	must(s.t, err)
	return swept
}

// Without asking whose key it is, the parts of a slow upload would be held, and
// one approval later be gone.
func TestSweepHoldsOnlyWhatNobodyWillTouch(t *testing.T) {
	s := newSite(t)
	old := noon.Add(-s.policy.OrphanGrace - time.Hour)
	receiving := s.commit(upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: bucket, Prefix: "up", Declared: 2,
	})
	done, _ := s.publishedOf("u-2", 2)
	purged, key := s.deleted("u-3")
	s.begin(receiving.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), old) // its writer is at it
	s.begin(done.ObjectKey(upload.Key{Attempt: 1, Seq: 2}), old)      // its trim will abort it
	s.begin(receiving.ObjectKey(upload.Key{Attempt: 1, Seq: 3}), old) // never declared
	s.begin(done.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), old)      // published: nobody looks there again
	s.begin(key, old)                                                 // purged
	s.begin("imports/video.mp4", old)                                 // a stranger
	s.begin("imports/fresh.mp4", noon.Add(-s.policy.OrphanGrace))     // exactly on the edge
	swept := s.sweep()
	want := reconcile.Swept{Bucket: bucket, Listed: 7, Owned: 2, Fresh: 1, Opened: 4}
	if swept != want {
		t.Errorf("swept %+v, want %+v", swept, want)
	}
	for _, h := range s.holds() {
		if h.Kind != hold.Multipart || h.State != hold.Open {
			t.Errorf("the hold is %+v", h)
		}
	}
	if again := s.sweep(); again.Opened != 0 || again.Again+again.Closed > 4 {
		t.Errorf("again: %+v", again)
	}
	_ = purged
}

func TestSweepClosesWhatIsOver(t *testing.T) {
	s := newSite(t)
	old := noon.Add(-30 * day)
	gone := s.begin("imports/a.mp4", old)
	s.begin("up/acme/u-9/1/1", old)
	expect(t, "opened", s.sweep().Opened, 2)
	must(t, s.store.Abort(t.Context(), bucket, "imports/a.mp4", gone))
	s.commit(upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-9"}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: bucket, Prefix: "up", Declared: 1,
	})
	s.now = s.now.Add(day)
	expect(t, "closed", s.sweep().Closed, 2)
	for _, h := range s.holds() {
		if h.State != hold.Closed {
			t.Errorf("the hold is %+v", h)
		}
	}
}

func TestRunLeavesTheHoldsOfMultipartUploadsAlone(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.begin("imports/a.mp4", noon.Add(-30*day))
	s.sweep()
	s.run()
	if h := s.holds()[0]; h.State != hold.Open {
		t.Errorf("the hold is %+v", h)
	}
}

// tornParts break off after the first.
type tornParts struct {
	reconcile.Parts
	err error
}

func (p tornParts) Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error] {
	return func(yield func(objects.Multipart, error) bool) {
		for m, err := range p.Parts.Multiparts(ctx, bucket, prefix) {
			if !yield(m, err) {
				return
			}
			break
		}
		yield(objects.Multipart{}, p.err)
	}
}

func TestListingThatFailedHoldsNothing(t *testing.T) {
	failing := errors.New("no answer")
	for name, spoil := range map[string]func(s *site){
		"the listing": func(s *site) { s.runner.Parts = tornParts{s.store, failing} },
		"the ledger":  func(s *site) { s.faults.load = failing },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.begin("up/acme/u-1/1/1", noon.Add(-30*day))
			s.begin("up/acme/u-1/1/2", noon.Add(-30*day))
			spoil(s)
			if _, err := s.runner.Sweep(t.Context(), bucket); !errors.Is(err, failing) {
				t.Errorf("error is %v", err)
			}
			if len(s.holds()) != 0 {
				t.Errorf("held are %s", s.holdStates())
			}
		})
	}
}
