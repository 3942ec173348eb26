package demo

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/listing"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// deliveredAfter is how long after its listing an inventory comes: S3 takes
// most of a day.
const deliveredAfter = 20 * time.Minute

// reconcile writes an inventory of the bucket on the story's clock, and tells
// the reconciler's function that it was delivered, as S3 does.
func (s *story) reconcile(ctx context.Context) (reconcile.Report, error) {
	written, err := listing.Write(ctx, s.Stores.Objects, listing.Options{
		Bucket: s.Bucket, Out: s.inventories, Format: "parquet", Config: "demo", Now: s.Clock.Now, Seen: s.Clock.Shown,
	})
	if err != nil {
		return reconcile.Report{}, err
	}
	key, err := filepath.Rel(s.inventories, written.Manifest)
	if err != nil {
		return reconcile.Report{}, err
	}
	s.Clock.Advance(deliveredAfter)
	return s.Reconcile(ctx, filepath.ToSlash(key))
}

// firstInventory is taken at pass one: the reconciler sees the strangers, as
// the scheduler does not, and holds them.
func (s *story) firstInventory(ctx context.Context) error {
	report, err := s.reconcile(ctx)
	if err != nil {
		return err
	}
	s.checks.equal("pass one: orphans", report.Counts[reconcile.Orphan].Count, strangers)
	s.checks.equal("pass one: held", report.Opened, strangers)
	s.checks.equal("pass one: ok", report.Counts[reconcile.OK].Count, chunksS1+chunksS2+chunksS3)
	return nil
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
