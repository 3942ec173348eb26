package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// lossyStore fails one of its calls, before its effect or after it.
type lossyStore struct {
	theStore
	failAt int
	after  bool
	err    error
	calls  int
}

func (s *lossyStore) around(do func() error) error {
	s.calls++
	if s.calls != s.failAt {
		return do()
	}
	if s.after {
		_ = do()
	}
	return s.err
}

func (s *lossyStore) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (stored objects.Stored, err error) {
	err = s.around(func() (err error) { stored, err = s.theStore.Put(ctx, bucket, key, body, c); return err })
	return stored, err
}

func (s *lossyStore) BeginMultipart(ctx context.Context, bucket, key, media string) (id string, err error) {
	err = s.around(func() (err error) { id, err = s.theStore.BeginMultipart(ctx, bucket, key, media); return err })
	return id, err
}

func (s *lossyStore) CompleteMultipart(ctx context.Context, bucket, key, id string, parts []objects.Part) (stored objects.Stored, err error) {
	err = s.around(func() (err error) {
		stored, err = s.theStore.CompleteMultipart(ctx, bucket, key, id, parts)
		return err
	})
	return stored, err
}

// Every call that an upload makes fails once, before its effect and after it,
// in every way that an engine can be told. What is told as a success is
// complete. What is told as a failure is complete too, and then the same request
// is answered with it; or it goes by itself, with its quota and its content.
func TestWhateverCallOfAnUploadFailsItIsCompleteOrGoes(t *testing.T) {
	for _, kind := range []error{upload.ErrUnclear, upload.ErrThrottled, upload.ErrDenied, errBroken} {
		for _, after := range []bool{false, true} {
			if after && errors.Is(kind, upload.ErrThrottled) {
				continue // nothing was done, says this kind
			}
			t.Run(fmt.Sprintf("ledger/%v/after %v", kind, after), func(t *testing.T) {
				failEach(t, 4000, func(w *world, failAt int) (desk, func() bool) {
					l := &lossy{theLedger: w.ledger}
					l.arm(failAt, after, kind)
					return w.desk(l, w.store), func() bool { return l.calls >= failAt }
				})
			})
			t.Run(fmt.Sprintf("store/%v/after %v", kind, after), func(t *testing.T) {
				sizes := []int{4000}
				if errors.Is(kind, errBroken) {
					sizes = append(sizes, 6<<20) // in parts: more calls, and slow
				}
				for _, size := range sizes {
					failEach(t, size, func(w *world, failAt int) (desk, func() bool) {
						s := &lossyStore{theStore: w.store, failAt: failAt, after: after, err: kind}
						return w.desk(w.ledger, s), func() bool { return s.calls >= failAt }
					})
				}
			})
		}
	}
}

// failEach tells the story once for each call, until none is left to fail.
func failEach(t *testing.T, size int, failing func(w *world, failAt int) (desk, func() bool)) {
	t.Helper()
	for failAt := 1; ; failAt++ {
		w := newWorld(t)
		d, hit := failing(w, failAt)
		done, err := d.send(size, "order-17")
		if err == nil {
			w.wantState(done.ID, upload.StateComplete)
		}
		if !hit() {
			if failAt == 1 || err != nil {
				t.Fatalf("call %d of none: %v", failAt, err)
			}
			return
		}
		w.settle(t, size, done, err)
	}
}

// settle makes the request again when every lease is over, lets time pass, and
// expects that both answers are of one mind with the ledger.
func (w *world) settle(t *testing.T, size int, done intake.Uploaded, failed error) {
	t.Helper()
	w.pass(w.policy.MaxLease)
	again, err := w.desk(w.ledger, w.store).send(size, "order-17")
	switch {
	case err == nil && failed == nil && (again.ID != done.ID || again.VersionID != done.VersionID || !again.Repeated):
		t.Errorf("told %+v, and again %+v", done, again)
	case err != nil && (failed == nil || !errors.Is(err, intake.ErrGivenUp)):
		t.Errorf("told %v, and again %v", failed, err)
	}
	w.live(72*time.Hour, time.Hour)
	quota := int64(0)
	for _, r := range w.written() {
		switch {
		case err == nil && r.ID == again.ID && r.State == upload.StateComplete:
			quota++
		case r.State != upload.StateDeleted:
			t.Errorf("upload %s is %s at rest", r.Upload, r.State)
		}
	}
	w.wantQuota(quota)
	w.checkInvariants()
}

// A repetition of a request whose upload was deleted since is told so. Without
// that it would be told of something that does not stand.
func TestARepetitionOfWhatWasDeletedIsNotASuccess(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		d := w.desk(w.ledger, w.store)
		done, err := d.send(4000, "order-17")
		w.must(err)
		w.must(d.Release(w.ctx, done.ID, owner, "row deleted"))
		_, err = d.send(4000, "order-17")
		w.want(intake.ErrGivenUp, err)
		_, err = d.send(4000, "order-18") // its content is free again
		w.must(err)
	})
}

// A duplicate of what is not there yet is told apart from one of what is: nobody
// can use the former.
func TestADuplicateOfAnUnfinishedUploadIsSaidToBeOne(t *testing.T) {
	w := newWorld(t)
	_, err := w.desk(&dying{theLedger: w.ledger}, w.store).send(4000, "order-17")
	w.want(errBroken, err)
	d := w.desk(w.ledger, w.store)
	_, err = d.send(4000, "order-18")
	w.want(upload.ErrDuplicate, err)
	live, named := intake.LiveUpload(err)
	if why, ok := intake.Explain(err); !ok || !named || why.Field != validate.FieldFile || why.Reason != validate.InProgress {
		t.Errorf("%v is explained as %+v", err, why)
	}
	w.must(d.Release(w.ctx, live, owner, "begun anew")) // its client gives it up
	_, err = d.send(4000, "order-18")
	w.must(err)
	_, err = d.send(4000, "order-19")
	if why, ok := intake.Explain(err); !ok || why.Reason != validate.AlreadyThere {
		t.Errorf("%v is explained as %+v", err, why)
	}
}

// Another request under the key is refused, in whatever it differs.
func TestAKeyStandsForOneRequest(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	done, err := d.send(4000, "order-17")
	w.must(err)
	if _, err = d.send(4001, "order-17"); !errors.Is(err, upload.ErrKeyReused) {
		t.Errorf("other content: %v", err)
	}
	for what, edit := range map[string]func(*intake.Meta){
		"another name": func(m *intake.Meta) { m.Name = "other.pdf" },
		"another kind": func(m *intake.Meta) { m.Kind = "note" },
		"another hold": func(m *intake.Meta) { m.Hold = time.Hour },
		"a duplicate":  func(m *intake.Meta) { m.AllowDuplicate = true },
	} {
		m := about("order-17")
		edit(&m)
		_, err := d.Upload(w.ctx, w.ours(), stream{fresh(4000)}, m)
		if !errors.Is(err, upload.ErrKeyReused) {
			t.Errorf("%s: %v", what, err)
		}
		wantSilent(t, err)
	}
	again, err := d.send(4000, "order-17")
	if w.must(err); again.ID != done.ID {
		t.Errorf("got %v, want %v", again.ID, done.ID)
	}

	// Without the content in the fingerprint, an owner who may have duplicates
	// would be answered with another file.
	twice := about("order-18")
	twice.AllowDuplicate = true
	_, err = d.Upload(w.ctx, w.ours(), fresh(4000), twice)
	w.must(err)
	_, err = d.Upload(w.ctx, w.ours(), fresh(4001), twice)
	w.want(upload.ErrKeyReused, err)
}

// dying is a ledger whose process dies before it can confirm.
type dying struct {
	theLedger
	dead bool
}

func (l *dying) Commit(ctx context.Context, c upload.Change) error {
	if l.dead = l.dead || c.Event == upload.KindComplete; l.dead {
		return errBroken
	}
	return l.theLedger.Commit(ctx, c)
}

// What stands and is recorded is published by whoever takes the request up
// again. Without the look at its checksum, parts of another size would be
// published under a checksum that nothing has.
func TestWhatAProcessRecordedBeforeItDiedIsNotPutAgain(t *testing.T) {
	for part, puts := range map[int64]int{objects.MinPartBytes: 0, objects.MinPartBytes + 1: 1} {
		w := newWorld(t)
		_, err := w.desk(&dying{theLedger: w.ledger}, w.store).send(6<<20, "order-17")
		w.want(errBroken, err)
		w.pass(w.policy.MaxLease)
		var put atomic.Int64
		counting := parts{w.store, func(p objects.Part) error { put.Add(int64(p.Number % 2)); return nil }}
		done, err := w.desk(w.ledger, counting, func(c *intake.Config) { c.Uploads.PartBytes = part }).send(6<<20, "order-17")
		w.must(err)
		if put.Load() != int64(puts) || len(w.standing(done.ID)) != 1+puts {
			t.Errorf("parts of %d bytes: put %d times, %d stand", part, put.Load(), len(w.standing(done.ID)))
		}
	}
}

// Each answer has a sentence of its own, and none tells what was sent, or of
// anybody else.
func TestEveryRefusalHasAFieldAndASentence(t *testing.T) {
	for _, kind := range []error{upload.ErrQuota, upload.ErrDuplicate, upload.ErrKeyReused, intake.ErrInProgress, intake.ErrGivenUp, &intake.Busy{}} {
		why, ok := intake.Explain(fmt.Errorf("upload: %w", kind))
		if !ok || why.Field == "" || why.Reason == "" || len(why.Sentence) < 20 {
			t.Errorf("%v is explained as %+v", kind, why)
		}
	}
	for _, kind := range []error{upload.ErrDenied, errBroken, intake.ErrDeadline, context.Canceled, nil} {
		if why, ok := intake.Explain(kind); ok {
			t.Errorf("%v is explained as %+v", kind, why)
		}
	}
}
