package confirm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// maxTries bounds how often one event is decided again because the record
	// moved. In every round of those that meet, at least one gets through.
	maxTries = 64
	// wait is how long the first of them waits before it looks again.
	wait = 5 * time.Millisecond
	// longest is the longest of those waits.
	longest = 500 * time.Millisecond
)

// turn is the work on one event.
type turn struct {
	created storageevent.Created
	claim   hold.Claim
	// seen is what a look at the version showed; nil before it. It cannot
	// change: a version is what it is.
	seen *seen
	// recorded: this turn has recorded the object, or may have.
	recorded bool
}

// confirm decides from the record and commits onto the record that it was
// decided from; if that moved, or the answer was lost, it reads and decides
// again.
func (r *Recorder) confirm(ctx context.Context, c storageevent.Created) Outcome {
	t := &turn{created: c}
	err := r.ask(ctx, t)
	for try := 0; err == nil && try < maxTries; try++ {
		event, outcome, failed := r.decide(ctx, t)
		if failed != nil || event == nil {
			return t.ended(outcome, failed)
		}
		change, refused := upload.Step(r.Policy, t.claim.Record, event, r.Now())
		if refused != nil {
			return t.ended(outcome, refused)
		}
		err = r.Records.Commit(ctx, change)
		switch {
		case err == nil:
			t.claim.Record = change.After
			t.claim.VersionID = change.After.Manifest.Object(t.claim.Key).VersionID
			if outcome.Kind != KindRecorded {
				return t.ended(outcome, nil)
			}
			t.recorded = true
		case errors.Is(err, upload.ErrChanged), errors.Is(err, upload.ErrUnclear):
			t.recorded = t.recorded || outcome.Kind == KindRecorded && errors.Is(err, upload.ErrUnclear)
			if err = r.Sleep(ctx, min(wait<<min(try, 10), longest)); err == nil {
				err = r.ask(ctx, t)
			}
		}
	}
	if err == nil {
		err = fmt.Errorf("the record moved %d times meanwhile: %w", maxTries, upload.ErrChanged)
	}
	return t.ended(Outcome{}, err)
}

func (r *Recorder) ask(ctx context.Context, t *turn) (err error) {
	t.claim, err = hold.Ask(ctx, r.Records, t.created.Bucket, t.created.Key)
	return err
}

// ended completes an outcome.
func (t *turn) ended(o Outcome, err error) Outcome {
	o.Upload = t.claim.Record.ID
	if err != nil {
		id, _, _ := upload.ParseObjectKey(t.created.Key)
		return Outcome{Kind: KindFailed, Upload: id, Err: fmt.Errorf("confirm an object of upload %s: %w", id.Upload, err)}
	}
	if t.recorded && o.Kind == KindSkipped && o.Reason == SkipRepeated {
		o.Kind, o.Reason = KindRecorded, ""
	}
	return o
}

// decide returns the event that follows, and what becomes of the storage event
// if that is committed; no event if nothing is to be done.
func (r *Recorder) decide(ctx context.Context, t *turn) (upload.Event, Outcome, error) {
	if why := t.skip(); why != "" {
		return nil, Outcome{Kind: KindSkipped, Reason: why}, nil
	}
	record, key := t.claim.Record, t.claim.Key
	if t.claim.VersionID != "" {
		list, _ := record.Manifest.Gathered()
		return upload.Complete{Fence: key.Attempt, List: list}, Outcome{Kind: KindCompleted}, nil
	}
	if t.seen == nil {
		seen, err := r.look(ctx, t.created, record.Manifest.Object(key).Expected)
		if errors.Is(err, upload.ErrAbsent) {
			return nil, Outcome{Kind: KindSkipped, Reason: SkipGone}, nil
		}
		if err != nil {
			return nil, Outcome{}, err
		}
		t.seen = &seen
	}
	if t.seen.differs != "" {
		return upload.Cancel{Fence: key.Attempt, Reason: t.seen.differs}, Outcome{Kind: KindCancelled, Reason: t.seen.differs}, nil
	}
	return upload.RecordObject{
		Fence: key.Attempt, Seq: key.Seq, VersionID: t.created.VersionID,
		Size: t.seen.size, ETag: t.seen.etag, Checksum: t.seen.checksum,
	}, Outcome{Kind: KindRecorded}, nil
}

// skip says why there is nothing to do, from the record alone; nothing if
// there is.
func (t *turn) skip() string {
	record, key, version := t.claim.Record, t.claim.Key, t.claim.VersionID
	switch {
	case !t.claim.KeyKnown:
		return SkipUnknown
	case t.created.VersionID == "" || t.created.VersionID == objects.NullVersion:
		return SkipNoVersion
	case version != "" && version != t.created.VersionID:
		return SkipOther
	case version != "":
		if _, whole := record.Manifest.Gathered(); record.ByEvents && whole && record.State == upload.StateReceiving && key.Attempt == record.Fence {
			return ""
		}
		return SkipRepeated
	}
	return late(record, key)
}

// late says why an object that is not recorded comes too late for its upload;
// nothing if it does not.
func late(record upload.Record, key upload.Key) string {
	state := record.State
	if state == upload.StateExpired {
		state = record.MarkedFrom
	}
	switch state {
	case upload.StateComplete:
		return SkipCompleted
	case upload.StateCancelled:
		return SkipGivenUp
	case upload.StateDeleting, upload.StateDeleted:
		return SkipDeleted
	}
	if key.Attempt != record.Fence {
		return SkipStale
	}
	return ""
}
