package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/iotest"
	"time"

	smithytime "github.com/aws/smithy-go/time"
	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// page is one opening of an application's page, with one of two files: both
// have two chunks, of one size each.
type page struct {
	*intake.Session
	file string
	urls map[int]objects.Presigned
}

func (p *page) chunk(seq int) (intake.Chunk, []byte) {
	body := fmt.Appendf(nil, "chunk %d of file %s", seq, p.file)
	return intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sumOf(body)}, body
}

// byEventsWorld is an upload that events complete, its pages, and who hears of
// what was put.
type byEventsWorld struct {
	*world
	request  intake.Request
	recorder *confirm.Recorder
	pages    []*page
	// said is the file that was stated last of each chunk.
	said map[int]string
}

func newByEventsWorld(t *testing.T) *byEventsWorld {
	w := &byEventsWorld{world: newWorld(t), said: map[int]string{}}
	w.quiet = true // it is one of many
	w.request = w.world.request()
	w.request.Chunks, w.request.ByEvents, w.request.IdempotencyKey = 2, true, "film-17"
	w.recorder = &confirm.Recorder{
		Records: w.ledger, Store: w.store, Policy: w.policy, Concurrency: 1,
		Now: w.now, Sleep: smithytime.SleepWithContext, Log: slog.New(slog.DiscardHandler),
	}
	return w
}

func (w *byEventsWorld) open(file string) {
	if s, err := w.service().Reserve(w.ctx, w.request); err == nil {
		w.pages = append(w.pages, &page{s, file, map[int]objects.Presigned{}})
	}
}

// act has one page, old or new, do one thing with one chunk; much of it is
// refused. What is stated is that of the newest page: whatever an older one
// signs lies where nobody reads.
func (w *byEventsWorld) act(what string, p *page, seq int) {
	c, body := p.chunk(seq)
	stated := func() {
		if p == w.pages[len(w.pages)-1] {
			w.said[seq] = p.file
		}
	}
	switch what {
	case "sign", "sign and send":
		if url, err := p.Presign(w.ctx, c, time.Minute); err == nil {
			p.urls[seq] = url
			stated()
		}
		if what == "sign" {
			return
		}
		fallthrough
	case "send what was signed":
		if url, signed := p.urls[seq]; signed {
			_ = w.redeem(url, body)
		}
	case "put", "put, and break":
		from := io.Reader(bytes.NewReader(body))
		if what == "put, and break" {
			from = io.MultiReader(bytes.NewReader(body[:3]), iotest.ErrReader(errBroken))
		}
		if _, err := p.Put(w.ctx, c, from); err == nil || errors.Is(err, errBroken) {
			stated()
		}
	case "confirm":
		_, _ = p.Confirm(w.ctx, seq)
	}
}

// hear tells of some of the versions that stand, in any order.
func (w *byEventsWorld) hear(t *rapid.T) {
	var all []storageevent.Created
	for _, v := range w.standing(w.pages[0].ID()) {
		all = append(all, storageevent.Created{Bucket: w.bucket, Key: v.Key, VersionID: v.VersionID})
	}
	all = rapid.Permutation(all).Draw(t, "order")
	for _, o := range w.recorder.Confirm(w.ctx, all[:rapid.IntRange(0, len(all)).Draw(t, "heard")]) {
		if o.Kind == confirm.KindFailed || o.Kind == confirm.KindCancelled {
			t.Fatalf("an honest put is %s: %v", o.Kind, o.Err)
		}
	}
}

// Whatever pages, old and new, with one file or another, sign, put and confirm,
// and in whatever order it is heard of: what events complete is, chunk by chunk,
// what was stated last. So it is never half of one file and half of another that
// was on its way.
func TestWhatEventsCompleteIsWhatWasStatedLast(t *testing.T) {
	completed := 0
	story := func(rt *rapid.T) {
		w := newByEventsWorld(t)
		w.open("A")
		for range rapid.IntRange(4, 16).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"open", "sign", "sign and send", "send what was signed", "put, and break", "put", "confirm"}).Draw(rt, "what")
			p := w.pages[rapid.IntRange(0, len(w.pages)-1).Draw(rt, "page")]
			if what == "open" {
				w.open(rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "file"))
			} else {
				w.act(what, p, rapid.IntRange(1, 2).Draw(rt, "chunk"))
			}
			w.hear(rt)
			if r := w.load(p.ID()); r.State == upload.StateComplete {
				w.wantSaid(rt, r)
				completed++
				return
			}
		}
	}
	for range 6 { // the stories that tell are one in a hundred
		rapid.Check(t, story)
	}
	if completed == 0 {
		t.Error("nothing was ever completed")
	}
}

func (w *byEventsWorld) wantSaid(t *rapid.T, r upload.Record) {
	for _, o := range intake.Chunks(r) {
		body, err := w.store.Open(w.ctx, w.bucket, r.ObjectKey(o.Key), o.VersionID)
		w.must(err)
		got, err := io.ReadAll(body)
		w.must(err)
		if want := fmt.Sprintf("chunk %d of file %s", o.Seq, w.said[o.Seq]); string(got) != want {
			t.Fatalf("chunk %d is %q, stated last was %q", o.Seq, got, want)
		}
	}
}
