package intake_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	objectsmemory "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// client is an application in a world of its own, whose calls may fail.
type client struct {
	*world
	*intake.Service
	set *fault.Set
}

func newClient(t *testing.T, faults ...fault.Fault) *client {
	w, set := newWorld(t), fault.New(faults...)
	s := w.serviceOn(set.Ledger(w.ledger.(*ledgermemory.Store)), set.Objects(w.store.(*objectsmemory.Store)))
	return &client{w, s, set}
}

// untilDone makes a request, and makes it again after each failure, as an
// application does. One that has died begins anew.
func (c *client) untilDone(request func(ctx context.Context) (upload.Record, error)) upload.Record {
	c.t.Helper()
	for try := 1; ; try++ {
		r, err := request(fault.As(c.ctx, "client"))
		if err == nil {
			return r
		}
		if try == 3 {
			c.t.Fatalf("after %v: %v", c.set.Calls(), err)
		}
		c.set.Revive("client")
	}
}

// inParts sends an object in parts, by URLs, as one attempt.
func (c *client) inParts(ctx context.Context) (upload.Record, error) {
	r := c.onDevice("web-1")
	r.Chunks, r.Prefix = 1, "in"
	s, err := c.Reserve(ctx, r)
	var refusal *upload.Refusal
	if errors.As(err, &refusal) && refusal.State == upload.StateComplete { // the answer to its completion was lost
		return c.load(refusal.ID), nil
	}
	if err != nil {
		return upload.Record{}, err
	}
	small := intake.PartedChunk{Seq: 1, Parts: []objects.Part{{Number: 1, Size: int64(len(onlyPart)), SHA256: sumOf([]byte(onlyPart))}}}
	urls, err := s.PresignMultipart(ctx, small, time.Minute)
	if err == nil {
		err = c.redeem(urls[0], []byte(onlyPart))
	}
	if err != nil {
		return upload.Record{}, err
	}
	var o upload.Object
	for try := 0; try == 0 || err != nil && try < 2; try++ { // the same call again
		o, err = s.CompleteMultipart(ctx, 1)
	}
	if err != nil {
		return upload.Record{}, err
	}
	err = s.Complete(ctx, []upload.Key{o.Key}, time.Time{})
	return s.Record(), err
}

const onlyPart = "the end"

func (c *client) inChunks(ctx context.Context) (upload.Record, error) {
	_, f := film()
	f.Size, f.AtOnce = 25, 1
	return c.StoreChunks(ctx, c.onDevice("web-1"), f, time.Time{})
}

// Whatever fails of one call, before it took effect or after it, the same
// request again comes to the same end, and nothing that it left on its way
// stays. Without one of the looks for what was done, some row here ends in a
// refusal, or in two versions.
func TestOneFailureOfAnyCallIsMadeUpForByTheSameRequest(t *testing.T) {
	for name, story := range map[string]struct {
		run  func(c *client) func(context.Context) (upload.Record, error)
		want []byte
	}{
		"in chunks": {func(c *client) func(context.Context) (upload.Record, error) { return c.inChunks }, first25()},
		"in parts":  {func(c *client) func(context.Context) (upload.Record, error) { return c.inParts }, []byte(onlyPart)},
	} {
		t.Run(name, func(t *testing.T) {
			plain := newClient(t)
			plain.untilDone(story.run(plain))
			calls := plain.set.Calls()
			if len(calls) < 6 {
				t.Fatalf("only %v", calls)
			}
			for _, call := range calls {
				for _, c := range fault.Cases(call.Operation) {
					f := fault.Fault{Call: call, Case: c}
					t.Run(f.String(), func(t *testing.T) {
						x := newClient(t, f)
						r := x.untilDone(story.run(x))
						if missed := x.set.Missed(); len(missed) > 0 {
							t.Errorf("never met: %v", missed)
						}
						x.wantFilm(r, story.want)
						x.live(48*time.Hour, time.Hour)
						x.wantFilm(x.load(r.ID), story.want)
						x.wantNothingElse(r)
					})
				}
			}
		})
	}
}

func first25() []byte {
	content, _ := film()
	return content[:25]
}

// wantNothingElse fails if anything stands that the upload does not list, or a
// multipart upload is open that it knows. One that it does not know has no
// parts; where its key has no object, the worker finds it by a listing.
func (c *client) wantNothingElse(r upload.Record) {
	c.t.Helper()
	if got, want := len(c.standing(r.ID)), len(intake.Chunks(c.load(r.ID))); got != want {
		c.t.Errorf("%d versions stand, %d are listed", got, want)
	}
	known := map[string]bool{}
	for _, o := range c.load(r.ID).Manifest.Objects {
		for _, id := range o.Multiparts {
			known[id] = true
		}
	}
	for m, err := range c.store.Multiparts(c.ctx, c.bucket, "") {
		c.must(err)
		if known[m.UploadID] {
			c.t.Errorf("multipart upload %s is open", m.UploadID)
		}
	}
}
