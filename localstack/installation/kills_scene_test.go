package installation_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// atTheEndOf is a world on the wire whose clock has so long to go until it shows
// what real clocks show: what takes days can be told before, and what happens
// then happens to processes that have nothing but real clocks.
func atTheEndOf(t *testing.T, p policy.Policy, d time.Duration) *world {
	w := newWorld()
	w.wire = true
	clock := installation.NewClock(time.Now, time.Now().Add(-d))
	i, cloud, err := installation.OnCloud(t.Context(), localstacktest.Config(t), "kills-"+strings.ToLower(rand.Text()[:12]), w.options(p, clock))
	must(t, err)
	t.Cleanup(func() {
		if err := i.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.hands = wireHands{cloud, i.Bucket}
	return w.settled(t, i)
}

// population are the uploads of a round, by what has to become of them.
type population struct {
	// condemned go, trimmed lose what they did not list, silent get their mark.
	condemned, trimmed, silent []upload.ID
	// live keep everything.
	live []upload.ID
	// old were condemned before the processes started.
	old []upload.ID
	// wavering may be claimed at any instant, and so may be revived: only one of
	// both happens.
	wavering []wavering
}

// wavering is an upload whose owner comes back just when it may be claimed.
type wavering struct {
	id     upload.ID
	revive func(context.Context) error
}

// populate tells what has happened in the sixty hours before the processes
// start. At its end the clock shows the real time.
func populate(t *testing.T, w *world) *population {
	t.Helper()
	p := &population{}
	p.abandon(t, w)
	w.Clock.Advance(30 * time.Hour)
	marked := fmt.Sprintf("marked %d", len(p.condemned)+len(p.wavering))
	w.wantPass(t, marked)
	for n := range 8 {
		p.silent = append(p.silent, w.abandoned(t, 1+n%2).ID())
	}
	w.Clock.Advance(22 * time.Hour)
	p.giveUp(t, w)
	p.leaveOver(t, w)
	w.Clock.Advance(-w.Clock.Offset())
	p.old = slices.Clone(p.condemned)
	p.live = append(p.live, w.abandoned(t, 2).ID(), w.abandoned(t, 1).ID()) // not yet
	for _, key := range []string{"in/acme/u-3/7/1", "in/acme/u-30/1/1.bak", "in/acme/nobody/1/1", "elsewhere"} {
		w.putStranger(t, key)
	}
	must(t, w.Census(t.Context()))
	return p
}

// abandon are uploads that fell silent two and a half days ago, and will have
// been marked for more than a day.
func (p *population) abandon(t *testing.T, w *world) {
	for n := range 18 {
		p.condemned = append(p.condemned, w.abandoned(t, 1+n%4).ID())
	}
	for range 4 {
		p.condemned = append(p.condemned, w.completed(t, 2, time.Hour).ID())
	}
	for range 6 {
		s := w.abandoned(t, 2)
		p.wavering = append(p.wavering, wavering{s.ID(), s.Heartbeat})
	}
}

// giveUp are uploads that were given up eight hours ago: known by their
// versions, or not; with a multipart upload; large; one under a legal hold.
func (p *population) giveUp(t *testing.T, w *world) {
	give := func(s *intake.Session) *intake.Session {
		must(t, s.Cancel(t.Context(), "user left the page"))
		p.condemned = append(p.condemned, s.ID())
		return s
	}
	for n := range 40 {
		s := w.reserve(t, chunks(4))
		if w.put(t, s, upTo(1+n%3)...); n%5 == 0 {
			w.putUnrecorded(t, s, 4)
		}
		if n%8 == 0 {
			_, err := s.BeginMultipart(t.Context(), 2, "")
			must(t, err)
		}
		give(s)
	}
	large := w.reserve(t, chunks(100))
	for seq := 1; seq <= 100; seq++ {
		w.putUnrecorded(t, large, seq)
	}
	give(large)
	held := give(w.given(t, 2)).Record()
	o := held.Manifest.Objects[0]
	w.hands.hold(t, held.ObjectKey(o.Key), o.VersionID)
}

// given is an upload with its chunks.
func (w *world) given(t *testing.T, n int) *intake.Session {
	t.Helper()
	s := w.reserve(t, chunks(n))
	w.put(t, s, upTo(n)...)
	return s
}

// leaveOver are uploads that were published eight hours ago: with a chunk too
// many, for good, with a reference, let go by their owner, or not yet.
func (p *population) leaveOver(t *testing.T, w *world) {
	for range 8 {
		s := w.given(t, 3)
		must(t, s.Complete(t.Context(), []upload.Key{s.Key(1), s.Key(3)}, time.Time{}))
		p.trimmed, p.live = append(p.trimmed, s.ID()), append(p.live, s.ID())
	}
	for n := range 4 {
		p.live = append(p.live, w.completed(t, 2, 0).ID())
		referred := w.completed(t, 1, time.Hour).ID()
		must(t, w.app.AddReference(t.Context(), referred, upload.Reference{Source: "post", Entity: fmt.Sprint(n)}, quota))
		p.live = append(p.live, referred)
	}
	for range 6 {
		id := w.completed(t, 2, 0).ID()
		must(t, w.app.Release(t.Context(), id, owner, "not wanted"))
		p.wavering = append(p.wavering, wavering{id, func(ctx context.Context) error {
			return w.app.AddReference(ctx, id, upload.Reference{Source: "post", Entity: "again " + id.Upload}, quota)
		}})
	}
	assembling := w.given(t, 2)
	must(t, assembling.BeginAssembly(t.Context()))
	p.live = append(p.live, assembling.ID())
}

// lives adds an upload of somebody who goes on while processes are killed.
func (p *population) lives(t *testing.T, w *world) {
	t.Helper()
	s := w.given(t, 1)
	must(t, s.Complete(t.Context(), []upload.Key{s.Key(1)}, time.Time{}))
	p.live = append(p.live, s.ID())
}

// waver has the owner of the next upload come back: in time, or too late.
func (p *population) waver(ctx context.Context) {
	if len(p.wavering) == 0 {
		return
	}
	next := p.wavering[0]
	p.wavering = p.wavering[1:]
	if next.revive(ctx) == nil {
		p.live = append(p.live, next.id)
		return
	}
	p.condemned = append(p.condemned, next.id)
}

// unfinished says what is not yet as it has to become; "" if all is.
func (p *population) unfinished(t *testing.T, w *world) string {
	t.Helper()
	if len(p.wavering) > 0 {
		return "not everybody has come back"
	}
	for _, group := range []struct {
		ids  []upload.ID
		done func(upload.Record) bool
	}{
		{p.condemned, func(r upload.Record) bool { return r.State == upload.StateDeleted }},
		{p.trimmed, func(r upload.Record) bool { return r.Trimmed }},
		{p.silent, func(r upload.Record) bool { return r.State == upload.StateExpired }},
	} {
		records, err := w.Stores.Ledger.LoadMany(t.Context(), group.ids)
		must(t, err)
		for _, r := range records {
			if !group.done(r) {
				return fmt.Sprintf("upload %s is %s, due %s, %d attempts, last error %q",
					r.Upload, r.State, r.DueAt.Format(time.TimeOnly), r.Attempts, r.LastError)
			}
		}
	}
	return ""
}
