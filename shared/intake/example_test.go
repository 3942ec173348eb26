package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	ledger "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// send puts the chunks that are not stored yet. It stops after the given
// number, as if its process had died.
func send(ctx context.Context, session *intake.Session, chunks [][]byte, atMost int) error {
	stored := map[int]bool{}
	for _, o := range session.Stored() {
		stored[o.Seq] = true
	}
	for i, body := range chunks {
		seq := i + 1
		if stored[seq] || atMost == 0 {
			continue
		}
		sum := sha256.Sum256(body)
		o, err := session.Put(ctx, intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sum[:]}, bytes.NewReader(body))
		if err != nil {
			return err
		}
		fmt.Printf("chunk %d is stored in attempt %d\n", o.Seq, o.Attempt)
		atMost--
	}
	return nil
}

// A file goes up in chunks. Its writer dies after two of four; the next one
// finds what is there, sends the rest under keys of its own, and publishes.
// What the first attempt declared and nobody lists is superseded: cleanup
// takes it away.
func Example() {
	ctx := context.Background()
	clock := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	records, store := ledger.New(), objects.New(now)
	store.CreateBucket("uploads", objects.BucketOptions{})

	service, err := intake.New(intake.Config{
		Records: records, Lookups: records, Objects: store, Policy: policy.Default(), Now: now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	chunks := [][]byte{[]byte("one "), []byte("file "), []byte("in "), []byte("chunks")}
	first, err := service.Reserve(ctx, intake.Request{
		Tenant: "acme", Owner: "ann", QuotaLimit: 10, IdempotencyKey: "order-17",
		Holder: "web-1", Lease: 5 * time.Minute, Bucket: "uploads", Prefix: "in", Chunks: len(chunks),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := send(ctx, first, chunks, 2); err != nil {
		fmt.Println(err)
		return
	}

	// web-1 dies. Ten minutes later its lease is over, and web-2 goes on.
	clock = clock.Add(10 * time.Minute)
	second, err := service.Acquire(ctx, first.ID(), "web-2", 5*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("web-2 finds %d chunks\n", len(second.Stored()))
	if err := send(ctx, second, chunks, len(chunks)); err != nil {
		fmt.Println(err)
		return
	}

	var list []upload.Key
	for _, o := range second.Stored() {
		list = append(list, o.Key)
	}
	if err := second.Complete(ctx, list, time.Time{}); err != nil {
		fmt.Println(err)
		return
	}
	// web-1 was only asleep.
	fmt.Println("web-1 has lost its fence:", errors.Is(first.Heartbeat(ctx), upload.ErrFenceLost))

	record := second.Record()
	fmt.Printf("%s: %d bytes, %d keys declared\n", record.State, record.Bytes, record.Objects)
	fmt.Println("leftovers may go at", record.SupersededDueAt.Format(time.DateTime))

	// Output:
	// chunk 1 is stored in attempt 1
	// chunk 2 is stored in attempt 1
	// web-2 finds 2 chunks
	// chunk 3 is stored in attempt 2
	// chunk 4 is stored in attempt 2
	// web-1 has lost its fence: true
	// complete: 18 bytes, 8 keys declared
	// leftovers may go at 2026-03-09 14:25:00
}
