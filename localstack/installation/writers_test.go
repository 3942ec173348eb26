package installation_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Who uploads in these stories.
const (
	tenant = "acme"
	owner  = "ann"
	quota  = 2_000
)

// reserve begins an upload without a hold.
func (w *world) reserve(t *testing.T, changes ...func(*intake.Request)) *intake.Session {
	t.Helper()
	r := intake.Request{
		Tenant: tenant, Owner: owner, QuotaLimit: quota, Holder: "writer-1", Lease: 10 * time.Minute,
		Bucket: w.Bucket, Prefix: "in",
	}
	for _, change := range changes {
		change(&r)
	}
	s, err := w.app.Reserve(t.Context(), r)
	must(t, err)
	return s
}

func hold(d time.Duration) func(*intake.Request) { return func(r *intake.Request) { r.Hold = d } }
func chunks(n int) func(*intake.Request)         { return func(r *intake.Request) { r.Chunks = n } }

// put sends chunks as the application's client does.
func (w *world) put(t *testing.T, s *intake.Session, seqs ...int) []upload.Key {
	t.Helper()
	var keys []upload.Key
	for _, seq := range seqs {
		c, body := chunkOf(seq)
		o, err := s.Put(t.Context(), c, bytes.NewReader(body))
		must(t, err)
		keys = append(keys, o.Key)
	}
	return keys
}

func chunkOf(seq int) (intake.Chunk, []byte) {
	body := fmt.Appendf(nil, "chunk %d", seq)
	sum := sha256.Sum256(body)
	return intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sum[:]}, body
}

// putUnrecorded puts a chunk of which the ledger is never told: its writer died
// in between, or does not care.
func (w *world) putUnrecorded(t *testing.T, s *intake.Session, seqs ...int) {
	t.Helper()
	for _, seq := range seqs {
		c, body := chunkOf(seq)
		_, err := w.Stores.Objects.Put(t.Context(), w.Bucket, s.Record().ObjectKey(s.Key(seq)), bytes.NewReader(body), objects.Content{Size: c.Size, SHA256: c.SHA256})
		must(t, err)
	}
}

// putStranger puts an object that no upload owns.
func (w *world) putStranger(t *testing.T, key string) {
	t.Helper()
	w.strangers[key] = w.hands.write(t, key, "not yours")
}

func upTo(n int) []int {
	seqs := make([]int, n)
	for i := range seqs {
		seqs[i] = i + 1
	}
	return seqs
}

// abandoned is an upload with a hold of an hour, whose writer falls silent.
func (w *world) abandoned(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.reserve(t, hold(time.Hour), chunks(n))
	w.put(t, s, upTo(n)...)
	return s
}

// cancelled is an upload that was given up.
func (w *world) cancelled(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.reserve(t, chunks(n))
	w.put(t, s, upTo(n)...)
	must(t, s.Cancel(t.Context(), "user left the page"))
	return s
}

// completed is an upload that was published, for so long; zero is for good.
func (w *world) completed(t *testing.T, n int, held time.Duration) *intake.Session {
	t.Helper()
	s := w.reserve(t, chunks(n))
	until := time.Time{}
	if held > 0 {
		until = w.Clock.Now().Add(held)
	}
	must(t, s.Complete(t.Context(), w.put(t, s, upTo(n)...), until))
	return s
}

// marked is an abandoned upload that pass one has marked.
func (w *world) marked(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.abandoned(t, n)
	w.Clock.Advance(30 * time.Hour)
	w.wantPass(t, "marked 1")
	return s
}

// condemned is an upload of which pass two has published the purge.
func (w *world) condemned(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.marked(t, n)
	w.Clock.Advance(25 * time.Hour)
	w.wantPass(t, "published 1")
	return s
}

// published is a cancelled upload of which a pass has published the purge.
func (w *world) published(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.cancelled(t, n)
	w.Clock.Advance(afterDeadline)
	w.wantPass(t, "published 1")
	return s
}

// afterDeadline is past everything that a cancelled upload was promised.
const afterDeadline = 7 * time.Hour

func sorted(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(list, ", ")
}
