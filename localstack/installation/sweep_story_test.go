package installation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The uploads of the story, by the part that they play.
const (
	cancelledOne = "cancelled" // twice reserved under one key, then given up
	keptOne      = "kept"      // complete and referred to, with one chunk left over
	silentOne    = "silent"    // with a hold, a multipart upload, and an object nobody recorded
	patientOne   = "patient"   // with a hold that is longer than the pass thought
	timedOutOne  = "timed out" // presigned, without a hold, and then silent
	brieflyOne   = "briefly"   // complete for an hour
	releasedOne  = "released"  // complete, and given up by its owner
	pagedOne     = "paged"     // with a manifest in pages
)

// story is small, and calls everything that scheduler, worker and intake call.
func story() []act {
	var fired time.Time
	next := func(d time.Duration) act {
		return act{nobody, "time passes", func(_ context.Context, s *scene) error {
			s.later(d)
			fired = s.Clock.Now()
			return nil
		}}
	}
	sweeping := func(name string) []act {
		return []act{
			{byScheduler, "the census before the " + name, func(ctx context.Context, s *scene) error { return s.functions.Census(ctx) }},
			{byScheduler, "the " + name, func(ctx context.Context, s *scene) error { return s.sweep(ctx, fired) }},
		}
	}
	purging := func(roles ...string) (acts []act) {
		for _, role := range roles {
			acts = append(acts, act{byWorker, "messages about " + role, func(ctx context.Context, s *scene) error { return s.work(ctx, role) }})
		}
		return acts
	}
	return slices.Concat(
		writing(),
		[]act{next(40 * time.Hour)}, sweeping("first pass"),
		purging(cancelledOne, releasedOne, pagedOne),
		[]act{{nobody, "strange messages", strangeMessages}},
		purging(keptOne, ""),
		[]act{next(25 * time.Hour)}, sweeping("second pass"),
		purging(silentOne, timedOutOne, brieflyOne),
	)
}

// writing are the applications' steps.
func writing() []act {
	by := func(name string, do func(context.Context, *scene) error) act { return act{byWriter, name, do} }
	return []act{
		by("reserve", putting(cancelledOne, 1)),
		by("reserve once more", func(ctx context.Context, s *scene) error {
			delete(s.sessions, cancelledOne)
			return putting(cancelledOne, 1, 2)(ctx, s)
		}),
		by("cancel", in(cancelledOne, upload.StateCancelled, func(ctx context.Context, w *intake.Session) error {
			return w.Cancel(ctx, "user left the page")
		})),
		by("put three chunks", putting(keptOne, 1, 2, 3)),
		by("renew", in(keptOne, upload.StateNone, func(ctx context.Context, w *intake.Session) error {
			return errors.Join(w.Renew(ctx, lease), w.Heartbeat(ctx))
		})),
		by("complete two of them", in(keptOne, upload.StateComplete, completing(0, 1, 2))),
		by("refer", func(ctx context.Context, s *scene) error {
			first, second := upload.Reference{Source: "post", Entity: "1"}, upload.Reference{Source: "post", Entity: "2"}
			return errors.Join(
				repeated(s.client.AddReference(ctx, s.ids[keptOne], first, quota), upload.ErrReferenceUsed),
				s.client.AddReference(ctx, s.ids[keptOne], second, quota),
				s.client.DropReference(ctx, s.ids[keptOne], first))
		}),
		by("begin and fall silent", func(ctx context.Context, s *scene) error {
			return errors.Join(putting(silentOne, 1)(ctx, s), in(silentOne, upload.StateNone, func(ctx context.Context, w *intake.Session) error {
				_, err := w.BeginMultipart(ctx, 2, "")
				return errors.Join(err, w.Declare(ctx, 3))
			})(ctx, s))
		}),
		by("begin what has time", putting(patientOne, 1)),
		by("extend the hold", func(ctx context.Context, s *scene) error {
			return repeated(s.client.ExtendHold(ctx, s.ids[patientOne], s.Clock.Now().Add(50*time.Hour)), upload.ErrRefused)
		}),
		by("attach", func(ctx context.Context, s *scene) error {
			w, err := s.session(ctx, silentOne)
			if err == nil {
				_, err = s.client.Attach(ctx, w.ID(), w.Fence())
			}
			return err
		}),
		{nobody, "an object and a multipart upload that nobody records", func(_ context.Context, s *scene) error {
			w, err := s.session(s.t.Context(), silentOne)
			if err == nil {
				err = w.Declare(s.t.Context(), 3) // where another writer took over
			}
			if err == nil {
				s.putUnrecorded(s.t, w, 3)
				_, err = s.Stores.Objects.BeginMultipart(s.t.Context(), s.Bucket, w.Record().ObjectKey(w.Key(3)), "")
			}
			return err
		}},
		by("presign", presigning),
		by("put", putting(brieflyOne, 1, 2)),
		by("assemble", in(brieflyOne, upload.StateComplete, func(ctx context.Context, w *intake.Session) error { return w.BeginAssembly(ctx) })),
		by("complete for an hour", in(brieflyOne, upload.StateComplete, completing(time.Hour, 1, 2))),
		by("store", func(ctx context.Context, s *scene) error { return s.store(ctx, releasedOne) }),
		by("release", func(ctx context.Context, s *scene) error {
			return s.client.Release(ctx, s.ids[releasedOne], owner, "not wanted")
		}),
		by("put into a large upload", putting(pagedOne, 1, 39)),
		by("cancel the large upload", in(pagedOne, upload.StateCancelled, func(ctx context.Context, w *intake.Session) error {
			return w.Cancel(ctx, "user left the page")
		})),
	}
}

// request asks for a role's upload, again under the same idempotency key.
func (s *scene) request(role string) intake.Request {
	r := intake.Request{
		Tenant: tenant, Owner: owner, QuotaLimit: quota, Holder: "writer-1", Lease: lease, Bucket: s.Bucket, Prefix: "in",
		IdempotencyKey: strings.ReplaceAll(role, " ", "-"), ContentHash: fmt.Sprintf("%064x", role), Chunks: 2,
	}
	switch role {
	case silentOne, patientOne:
		r.Hold = time.Hour
	case pagedOne:
		r.Chunks = 40
	}
	return r
}

// session is the writer's session, or a new one if the writer is new.
func (s *scene) session(ctx context.Context, role string) (*intake.Session, error) {
	if known := s.sessions[role]; known != nil {
		return known, nil
	}
	w, err := s.client.Reserve(ctx, s.request(role))
	if err != nil {
		return nil, err
	}
	s.sessions[role], s.ids[role] = w, w.ID()
	return w, nil
}

// in does something in a role's session. That the upload is in that state
// already is a success: the step was done, and its answer lost.
func in(role string, done upload.State, do func(context.Context, *intake.Session) error) func(context.Context, *scene) error {
	return func(ctx context.Context, s *scene) error {
		w, err := s.session(ctx, role)
		if err == nil {
			err = do(ctx, w)
		}
		var refusal *upload.Refusal
		if errors.As(err, &refusal) && refusal.State == done && done != upload.StateNone {
			return nil
		}
		return err
	}
}

// putting puts those chunks that are not known to be stored.
func putting(role string, seqs ...int) func(context.Context, *scene) error {
	return in(role, upload.StateNone, func(ctx context.Context, w *intake.Session) error {
		for _, seq := range seqs {
			if !stored(w, seq) {
				c, body := chunkOf(seq)
				if _, err := w.Put(ctx, c, bytes.NewReader(body)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func stored(w *intake.Session, seq int) bool {
	for _, o := range w.Stored() {
		if o.Seq == seq {
			return true
		}
	}
	return false
}

// completing publishes the newest of each of the chunks.
func completing(held time.Duration, seqs ...int) func(context.Context, *intake.Session) error {
	return func(ctx context.Context, w *intake.Session) error {
		var list []upload.Key
		for _, o := range w.Stored() {
			for _, seq := range seqs {
				if o.Seq == seq {
					list = append(list, o.Key)
				}
			}
		}
		until := time.Time{}
		if held > 0 {
			until = w.Record().LastActivityAt.Add(held)
		}
		return w.Complete(ctx, list, until)
	}
}

// repeated takes for a success what a repetition of a success is refused with.
func repeated(err, kind error) error {
	if errors.Is(err, kind) {
		return nil
	}
	return err
}

// presigning has a client without credentials put one chunk.
func presigning(ctx context.Context, s *scene) error {
	return in(timedOutOne, upload.StateNone, func(ctx context.Context, w *intake.Session) error {
		c, body := chunkOf(1)
		p, err := w.Presign(ctx, c, 0)
		if err != nil || stored(w, 1) {
			return err
		}
		key := w.Record().ObjectKey(w.Key(1))
		if s.versionOf(key) == "" {
			s.hands.redeem(s.t, p, body)
		}
		_, err = w.Confirm(ctx, 1)
		return err
	})(ctx, s)
}

func (s *scene) versionOf(key string) string {
	for v, err := range s.Stores.Objects.Versions(s.t.Context(), s.Bucket, key) {
		must(s.t, err)
		if v.Key == key {
			return v.VersionID
		}
	}
	return ""
}

// store uploads one object whole. What a failure gave up is begun anew, under
// another key, as a person would press the button again.
func (s *scene) store(ctx context.Context, role string) error {
	c, body := chunkOf(1)
	r := s.request(role)
	for try := range 3 {
		r.IdempotencyKey = fmt.Sprintf("%s-%d", role, try)
		record, err := s.client.Store(ctx, r, c, bytes.NewReader(body), time.Time{})
		var refusal *upload.Refusal
		if errors.As(err, &refusal) && refusal.State == upload.StateCancelled {
			continue
		}
		if err == nil {
			s.ids[role] = record.ID
		}
		return err
	}
	return errors.New("it was given up each time")
}

// strangeMessages are such as no pass sends, and one that comes too early.
func strangeMessages(_ context.Context, s *scene) error {
	early := s.Command(s.load(s.t, s.ids[keptOne]))
	early.Operation, early.Cutoff = upload.OpTrim, s.Clock.Now()
	s.send(s.t, early)
	s.hands.sendRaw(s.t, `{"schema":99}`)
	return nil
}
