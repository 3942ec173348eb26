package cleanup_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The largest batch that SQS can give Lambda, a tenth of it about one upload,
// with two messages of one id: every message has an outcome, each upload is
// deleted once, and what comes too late or too early is left in order. Were an
// upload's messages worked on side by side, one would fail on the other's claim.
func TestTenThousandMessagesAThousandOfThemAboutOneUpload(t *testing.T) {
	w := newPurgeWorld(t)
	var records []upload.Record
	for i := range 50 {
		records = append(records, w.cancelled(fmt.Sprintf("u-%d", i), 1, 1))
	}
	var batch []command.Received
	for i := range 10_000 {
		r := records[0]
		if i%10 != 0 {
			r = records[i%50]
		}
		body, err := command.Encode(w.order(r))
		w.must(err)
		batch = append(batch, command.Received{MessageID: fmt.Sprint(i / 2), Body: string(body), Receipt: "none", Receives: 1})
	}
	ctx, cancel := context.WithDeadline(t.Context(), w.clock.now().Add(365*24*time.Hour))
	defer cancel()
	outcomes := w.worker.Purge(ctx, batch)
	kinds := map[cleanup.OutcomeKind]int{}
	for _, o := range outcomes {
		kinds[o.Kind]++
	}
	touched := 0
	for _, r := range records {
		if w.record(r.ID).State == upload.StateDeleted {
			touched++
		}
	}
	if len(outcomes) != 10_000 || kinds[cleanup.KindDeleted] != touched || kinds[cleanup.KindDeleted]+kinds[cleanup.KindSkipped] != 10_000 {
		t.Errorf("%d outcomes, %v, %d uploads deleted", len(outcomes), kinds, touched)
	}
}

// A ledger that was restored to an earlier point meets commands about versions
// it has not reached. They wait; none is taken for the record's own, none is a
// dead letter, and nothing goes that the restored record does not condemn.
func TestCommandsFromBeforeARestoreWait(t *testing.T) {
	w := newPurgeWorld(t)
	restored := w.received("u-1", 2, 2)
	newer := w.order(restored)
	newer.Version = restored.Version + 4
	w.clock.advance(time.Hour)
	newer.Cutoff = w.cutoff()
	_, err := w.queue.Send(t.Context(), []upload.Command{newer})
	w.must(err)
	w.wantOutcome(w.purge()[0], cleanup.KindWaiting, "older than the command")
	w.wantStanding(2)
	w.wantState(restored.ID, upload.StateReceiving)
}
