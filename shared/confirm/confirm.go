package confirm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// maxTries bounds how often one event is decided again because the record
	// moved. In every round of those that meet, at least one gets through.
	maxTries = 64
	// firstWait is how long the first of them waits before it looks again,
	// longestWait the longest of those waits.
	firstWait   = 5 * time.Millisecond
	longestWait = 500 * time.Millisecond
)

// turn is the work on one event.
type turn struct {
	*Recorder
	created storageevent.Created
	claim   hold.Claim
	// seen is what a look at the version showed; nil before it. It cannot
	// change: a version is what it is.
	seen *seen
	// recorded: this turn has recorded the object, or may have.
	recorded bool
	// unsure is a write whose answer was lost.
	unsure *upload.Change
}

// move is what follows next: an event for the record, and what has become of
// the storage event when that is written; or no event, and nothing more to do.
type move struct {
	event   upload.Event
	outcome Outcome
}

// confirm decides from the record and commits onto the record that it was
// decided from; if that moved, or the answer was lost, it reads and decides
// again.
func (r *Recorder) confirm(ctx context.Context, c storageevent.Created) Outcome {
	t := &turn{Recorder: r, created: c}
	err := t.ask(ctx)
	for try := 0; err == nil && try < maxTries; try++ {
		var next move
		if next, err = t.decide(ctx); err != nil {
			break
		}
		if next.event == nil {
			return t.ended(next.outcome)
		}
		err = t.commit(ctx, next)
		switch {
		case err == nil && next.outcome.Kind != KindRecorded:
			return t.ended(next.outcome)
		case errors.Is(err, upload.ErrChanged), errors.Is(err, upload.ErrUnclear):
			err = t.again(ctx, try)
		}
	}
	if err == nil {
		err = fmt.Errorf("the record moved %d times meanwhile: %w", maxTries, upload.ErrChanged)
	}
	return t.failed(err)
}

func (t *turn) ask(ctx context.Context) (err error) {
	t.claim, err = hold.Ask(ctx, t.Records, t.created.Bucket, t.created.Key)
	return err
}

// again waits, each time about twice as long, and reads the record once more.
func (t *turn) again(ctx context.Context, try int) error {
	if err := t.Sleep(ctx, min(firstWait<<min(try, 10), longestWait)); err != nil {
		return err
	}
	err := t.ask(ctx)
	if t.unsure != nil {
		t.decidedPerhaps(ctx, *t.unsure, err)
		t.unsure = nil
	}
	return err
}

// commit writes the move's event onto the record that it was decided from.
func (t *turn) commit(ctx context.Context, m move) error {
	change, err := upload.Step(t.Policy, t.claim.Record, m.event, t.Now())
	if err != nil {
		return err
	}
	err = t.Records.Commit(ctx, change)
	switch {
	case errors.Is(err, upload.ErrUnclear):
		t.unsure, t.recorded = &change, t.recorded || m.outcome.Kind == KindRecorded
	case err == nil:
		t.decided(ctx, change, "")
		t.recorded = t.recorded || m.outcome.Kind == KindRecorded
		t.claim.Record = change.After
		t.claim.VersionID = change.After.Manifest.Object(t.claim.Key).VersionID
	}
	return err
}

// decide returns what follows from the record, and from a look at the object
// where the record waits for it.
func (t *turn) decide(ctx context.Context) (move, error) {
	if why := t.skip(); why != "" {
		return skipped(why), nil
	}
	record, key := t.claim.Record, t.claim.Key
	if t.claim.VersionID != "" {
		list, _ := record.Manifest.Gathered()
		return move{upload.Complete{Fence: key.Attempt, List: list}, Outcome{Kind: KindCompleted}}, nil
	}
	if t.seen == nil {
		s, err := t.look(ctx, record.Manifest.Object(key).Expected)
		if errors.Is(err, upload.ErrAbsent) {
			return skipped(SkipGone), nil
		}
		if err != nil {
			return move{}, err
		}
		t.seen = &s
	}
	if why := t.seen.differs; why != "" {
		return move{upload.Cancel{Fence: key.Attempt, Reason: why}, Outcome{Kind: KindCancelled, Reason: why}}, nil
	}
	return move{upload.RecordObject{
		Fence: key.Attempt, Seq: key.Seq, VersionID: t.created.VersionID,
		Size: t.seen.size, ETag: t.seen.etag, Checksum: t.seen.checksum,
	}, Outcome{Kind: KindRecorded}}, nil
}

func skipped(why string) move { return move{outcome: Outcome{Kind: KindSkipped, Reason: why}} }

// ended completes an outcome: an object that this turn has recorded is no
// repetition.
func (t *turn) ended(o Outcome) Outcome {
	if t.recorded && o.Kind == KindSkipped && o.Reason == SkipRepeated {
		o.Kind, o.Reason = KindRecorded, ""
	}
	o.Upload, o.Recorded = t.claim.Record.ID, t.recorded
	return o
}

// failed names the upload by what the key says, and the key not at all.
func (t *turn) failed(err error) Outcome {
	id, _, _ := upload.ParseObjectKey(t.created.Key)
	err = fmt.Errorf("confirm an object of upload %s: %w", id.Upload, err)
	return Outcome{Kind: KindFailed, Upload: id, Recorded: t.recorded, Err: err}
}
