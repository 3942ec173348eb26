package worker_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// grace is past everything that a cancelled upload was promised.
const grace = 7 * time.Hour

func TestWireBatchIsPurgedRejectedAndAnswered(t *testing.T) {
	w := newWire(t)
	known := w.cancelled("known", 12, 12)
	died := w.cancelled("died before recording", 3, 1)
	foreign := known
	foreign.Tenant = "other"
	neighbour := died.Folder() + "1/30" // matches the prefix of a declared key
	w.put(neighbour)
	w.ahead = grace
	w.send(known, died, known, foreign)

	if left := w.handle(w.app(), w.receive(4)); len(left) != 0 {
		t.Fatalf("%d messages are left", len(left))
	}
	if keys := w.standing(); len(keys) != 1 || keys[0] != neighbour {
		t.Fatalf("%d versions stand, want the neighbour alone", len(keys))
	}
	w.wantState(known.ID, upload.StateDeleted)
	w.wantState(died.ID, upload.StateDeleted)
	dead := sqs.New(awsconf.SQS(w.cloud), w.cfg.DeadLetterURL, w.cfg.DeadLetterURL)
	if letters, err := dead.Receive(t.Context(), 10, time.Second); err != nil || len(letters) != 1 {
		t.Fatalf("%d dead letters (%v), want the foreign tenant's", len(letters), err)
	}
	if depth, err := w.queue.Depth(t.Context()); err != nil || depth != 0 {
		t.Fatalf("%d messages in the queue (%v)", depth, err)
	}
}

func TestWireTwoWorkersAtOnceDeleteOnce(t *testing.T) {
	w := newWire(t)
	r := w.cancelled("contested", 5, 5)
	w.ahead = grace
	w.send(r, r)
	batch := w.receive(2)
	var wg sync.WaitGroup
	for i := range batch {
		app := w.app()
		wg.Go(func() { w.handle(app, batch[i:i+1]) })
	}
	wg.Wait()
	if keys := w.standing(); len(keys) != 0 {
		t.Fatalf("%d versions stand", len(keys))
	}
	if stored := w.wantState(r.ID, upload.StateDeleted); stored.Fence != 2 || stored.Attempts != 0 {
		t.Fatalf("fence %d, attempts %d: want one claim and no failure", stored.Fence, stored.Attempts)
	}
}

func TestWireVersionsAbsentAlreadyAreASuccess(t *testing.T) {
	w := newWire(t)
	r := w.cancelled("absent", 2, 2)
	w.ahead = grace
	gone := w.apply(r.ID, upload.Claim{Version: r.Version, Cutoff: w.now().Add(-10 * time.Minute), Worker: "dead", Token: "t"})
	warrant, err := gone.ClaimedBy(w.cfg.Policy, "t")
	must(t, err)
	for _, target := range warrant.Targets() {
		c, err := warrant.Condemn(target.ObjectKey, target.VersionID)
		must(t, err)
		w.store.Delete(t.Context(), w.bucket, []upload.Condemned{c})
	}
	// That worker died after the delete and before the record.
	w.send(gone)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 1 {
		t.Fatal("a message that meets a live claim was acknowledged")
	}
	w.ahead += w.cfg.Policy.ClaimLease + time.Minute
	w.send(gone)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 0 {
		t.Fatal("the message is left")
	}
	w.wantState(r.ID, upload.StateDeleted)
}

func TestWireClosedGateDeletesNothing(t *testing.T) {
	w := newWire(t)
	r := w.cancelled("paused", 2, 2)
	w.ahead = grace
	must(t, w.gate.Pause(t.Context()))
	w.send(r)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 1 {
		t.Fatal("the message was acknowledged")
	}
	w.wantState(r.ID, upload.StateCancelled)
	if keys := w.standing(); len(keys) != 2 {
		t.Fatalf("%d versions stand, want 2", len(keys))
	}
}

func TestWireTwoMultipartUploadsOnOneKeyAreAborted(t *testing.T) {
	w := newWire(t)
	r := w.cancelled("parts", 1, 0)
	for range 2 {
		_, err := w.store.BeginMultipart(t.Context(), w.bucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), "")
		must(t, err)
	}
	w.ahead = grace
	w.send(r)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 0 {
		t.Fatal("the message is left")
	}
	for _, err := range w.store.Multiparts(t.Context(), w.bucket, "") {
		t.Fatalf("a multipart upload is left (%v)", err)
	}
}

func TestWireMoreThanAThousandVersionsOfOneKey(t *testing.T) {
	w := newWire(t)
	r := w.cancelled("rewritten", 1, 0)
	client := awsconf.S3(w.cloud)
	var writers errgroup.Group
	writers.SetLimit(8)
	for range 1_050 { // a writer that leaves the condition out
		writers.Go(func() error {
			_, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
				Bucket: aws.String(w.bucket), Key: aws.String(r.ObjectKey(upload.Key{Attempt: 1, Seq: 1})), Body: strings.NewReader("d"),
			})
			return err
		})
	}
	must(t, writers.Wait())
	w.ahead = grace
	w.send(r)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 0 {
		t.Fatal("the message is left")
	}
	if keys := w.standing(); len(keys) != 0 {
		t.Fatalf("%d versions stand", len(keys))
	}
}

func TestWireOneLockedVersionAmongTenIsRetainedAndPurgedLater(t *testing.T) {
	w := newWire(t)
	client := awsconf.S3(w.cloud)
	w.bucket += "-locked"
	_, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{
		Bucket: aws.String(w.bucket), ObjectLockEnabledForBucket: aws.Bool(true),
	})
	must(t, err)
	r := w.cancelled("locked", 10, 10)
	until := time.Now().Add(4 * time.Second)
	_, err = client.PutObjectRetention(t.Context(), &awss3.PutObjectRetentionInput{
		Bucket: aws.String(w.bucket), Key: aws.String(r.ObjectKey(upload.Key{Attempt: 1, Seq: 5})),
		VersionId: aws.String(r.Manifest.Objects[4].VersionID),
		Retention: &types.ObjectLockRetention{Mode: types.ObjectLockRetentionModeCompliance, RetainUntilDate: aws.Time(until)},
	})
	must(t, err)
	w.ahead = grace
	w.send(r)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 0 {
		t.Fatal("the message is left")
	}
	kept := w.wantState(r.ID, upload.StateDeleted)
	if len(w.standing()) != 1 || kept.Retained.Count != 1 || kept.Retained.Reason != objects.ReasonLock || kept.DueAt.IsZero() {
		t.Fatalf("%d versions stand, retained %+v, due %v", len(w.standing()), kept.Retained, kept.DueAt)
	}
	time.Sleep(time.Until(until) + time.Second)
	w.ahead += kept.DueAt.Sub(w.now()) + 10*time.Minute
	w.send(kept)
	if left := w.handle(w.app(), w.receive(1)); len(left) != 0 {
		t.Fatal("the message is left")
	}
	if len(w.standing()) != 0 {
		t.Fatal("the version stands after its lock is over")
	}
}

func TestFunctionIsComposedOverAWS(t *testing.T) {
	w := newWire(t)
	if _, err := worker.New(w.cfg, w.cloud); err != nil {
		t.Fatal(err)
	}
}
