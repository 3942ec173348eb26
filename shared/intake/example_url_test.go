package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	ledger "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// exampleService is a service with a bucket called uploads.
func exampleService() (*intake.Service, *objects.Store) {
	clock := func() time.Time { return time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC) }
	records, store := ledger.New(), objects.New(clock)
	store.CreateBucket("uploads", objects.BucketOptions{})
	service, err := intake.New(intake.Config{Records: records, Lookups: records, Objects: store, Policy: policy.Default(), Now: clock})
	if err != nil {
		panic(err)
	}
	return service, store
}

// A browser puts a picture straight into the bucket. The URL takes one object of
// this size, SHA-256 and type, once; the application confirms what has come.
func ExampleSession_Presign() {
	ctx := context.Background()
	service, store := exampleService()
	session, err := service.Reserve(ctx, intake.Request{
		Tenant: "acme", Owner: "ann", Holder: "web-1", Lease: 5 * time.Minute, Bucket: "uploads", Prefix: "in", Chunks: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	picture := []byte("a picture of a beach")
	sum := sha256.Sum256(picture)
	url, err := session.Presign(ctx, intake.Chunk{Seq: 1, Size: int64(len(picture)), SHA256: sum[:], Type: "image/jpeg"}, 10*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(url.Method, "Content-Type:", url.Header.Get("Content-Type"), "If-None-Match:", url.Header.Get("If-None-Match"))

	for range 2 { // the browser sends it twice
		_, err := store.Redeem(ctx, url, bytes.NewReader(picture))
		fmt.Println("put:", err == nil)
	}

	o, err := session.Confirm(ctx, 1)
	if err == nil {
		err = session.Complete(ctx, []upload.Key{o.Key}, time.Time{})
	}
	fmt.Println(session.Record().State, o.Size, "bytes", err)
	// Output:
	// PUT Content-Type: image/jpeg If-None-Match: *
	// put: true
	// put: false
	// complete 20 bytes <nil>
}

// A large file goes up in chunks. The same call again, by the same process or
// one that came after it, goes on where the first one stopped, or returns what
// it has made.
func ExampleService_StoreChunks() {
	ctx := context.Background()
	service, _ := exampleService()
	film := bytes.Repeat([]byte("0123456789"), 25)
	request := intake.Request{
		Tenant: "acme", Owner: "ann", IdempotencyKey: "film-17", Holder: "laptop-3", Lease: 5 * time.Minute, Bucket: "uploads", Prefix: "in",
	}
	file := intake.File{Body: bytes.NewReader(film), Size: int64(len(film)), ChunkBytes: 100, Type: "video/mp4"}
	for range 2 {
		record, err := service.StoreChunks(ctx, request, file, time.Time{})
		fmt.Println(record.State, record.Objects, "chunks", err)
		for _, o := range intake.Chunks(record) {
			fmt.Println(o.Seq, o.Size)
		}
	}
	// Output:
	// complete 3 chunks <nil>
	// 1 100
	// 2 100
	// 3 50
	// complete 3 chunks <nil>
	// 1 100
	// 2 100
	// 3 50
}
