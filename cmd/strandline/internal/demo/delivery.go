package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/listing"
	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// deliveredAfter is how long after its listing an inventory comes: S3 takes
// most of a day.
const deliveredAfter = 20 * time.Minute

// inventoryBucket is the bucket that the function takes the folder for.
const inventoryBucket = "inventories"

// reconcile writes an inventory of the bucket on the story's clock, and tells
// the reconciler's function that it was delivered, as S3 does.
func (s *story) reconcile(ctx context.Context) (reconcile.Report, error) {
	written, err := listing.Write(ctx, s.Stores.Objects, listing.Options{
		Bucket: s.Bucket, Out: s.inventories, Format: "parquet", Config: "demo", Now: s.Clock.Now, Seen: s.Clock.Shown,
	})
	if err != nil {
		return reconcile.Report{}, err
	}
	s.Clock.Advance(deliveredAfter)
	checksum, err := filepath.Rel(s.inventories, filepath.Join(filepath.Dir(written.Manifest), "manifest.checksum"))
	if err != nil {
		return reconcile.Report{}, err
	}
	event, err := created(filepath.ToSlash(checksum), s.Clock.Now())
	if err != nil {
		return reconcile.Report{}, err
	}
	answer, err := s.reconciler.Handle(ctx, event)
	switch {
	case err != nil:
		return reconcile.Report{}, fmt.Errorf("reconciler: %w", err)
	case len(answer.Runs) != 1:
		return reconcile.Report{}, fmt.Errorf("reconciler: %d runs over one inventory", len(answer.Runs))
	}
	return answer.Runs[0], nil
}

// created is the event of an object that was put, its key encoded once.
func created(key string, at time.Time) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"Records": []any{map[string]any{
		"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": at.UTC().Format(time.RFC3339Nano),
		"s3": map[string]any{
			"bucket": map[string]any{"name": inventoryBucket}, "object": map[string]any{"key": url.QueryEscape(key)},
		},
	}}})
}

// delivered is a folder of inventories, in place of the bucket they come into.
type delivered string

func (d delivered) Get(_ context.Context, key string, from int64, _ string) (inventory.Object, error) {
	f, err := os.Open(filepath.Join(string(d), filepath.FromSlash(key)))
	if err != nil {
		return inventory.Object{}, err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Seek(from, 0)
	}
	if err != nil {
		f.Close()
		return inventory.Object{}, err
	}
	return inventory.Object{Body: f, Size: info.Size(), ETag: key}, nil
}

func (d delivered) Below(_ context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		entries, err := os.ReadDir(filepath.Join(string(d), filepath.FromSlash(folder)))
		if err != nil {
			yield("", err)
			return
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() {
				name += "/"
			}
			if !yield(name, nil) {
				return
			}
		}
	}
}

// newReconciler composes the function over the story's stores.
func (s *story) newReconciler() (*reconciler.App, error) {
	ledger, ok := s.Stores.Ledger.(reconciler.Ledger)
	if !ok {
		return nil, fmt.Errorf("the ledger of %T cannot be read whole", s.Stores.Ledger)
	}
	return reconciler.NewFrom(reconciler.Config{
		Table: "story", InventoryBucket: inventoryBucket, SourceBuckets: []string{s.Bucket}, TempDir: s.inventories,
		Segments: 1, Policy: s.Policy,
	}, reconciler.Deps{
		Ledger: ledger, Objects: s.Stores.Objects, Inventories: delivered(s.inventories), Now: s.Clock.Now,
		Log: slog.New(slog.DiscardHandler),
	})
}
