package hold

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// View is the latest completed run over a bucket: whatever it did not see
// unowned cannot be approved.
type View struct {
	Run        string    `json:"run"`
	Inventory  time.Time `json:"inventory"`
	ManifestAt time.Time `json:"manifest_snapshot"`
	Finished   time.Time `json:"finished"`
}

const views = "VIEW#reconcile"

// View returns the latest completed run over a bucket; the zero View if there
// was none.
func (b Book) View(ctx context.Context, bucket string) (View, error) {
	v, _, err := b.view(ctx, bucket)
	return v, err
}

func (b Book) view(ctx context.Context, bucket string) (v View, revision int64, err error) {
	d, err := b.Documents.Get(ctx, views, bucket)
	if err != nil {
		return View{}, 0, fmt.Errorf("look up the latest run over bucket %s: %w", bucket, err)
	}
	if d.Revision > 0 {
		if err := json.Unmarshal(d.Data, &v); err != nil {
			return View{}, 0, fmt.Errorf("read the latest run over bucket %s: %w", bucket, err)
		}
	}
	return v, d.Revision, nil
}

// SetView notes a completed run, unless one over a later inventory is noted.
func (b Book) SetView(ctx context.Context, bucket string, v View) error {
	for range tries {
		known, revision, err := b.view(ctx, bucket)
		if err != nil || known.Inventory.After(v.Inventory) {
			return err
		}
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		err = b.Documents.Put(ctx, ledger.Document{Collection: views, ID: bucket, Data: data, Revision: revision})
		if !errors.Is(err, upload.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("the latest run over bucket %s changes all the time: %w", bucket, upload.ErrChanged)
}

// A key is changed when the version that its owner wrote is gone and another
// one stands: that one may be all that is left.
func changedPlace(bucket, key string) (collection, id string) {
	sum := sha256.Sum256([]byte(key))
	id = hex.EncodeToString(sum[:])
	return "CHANGED#" + bucket + "#" + id[:1], id
}

// SetChanged notes that a run found the key changed.
func (b Book) SetChanged(ctx context.Context, bucket, key, run string, now time.Time) error {
	collection, id := changedPlace(bucket, key)
	for range tries {
		d, err := b.Documents.Get(ctx, collection, id)
		if err != nil || string(d.Data) == run {
			return err
		}
		d.Data = []byte(run)
		if b.Forget > 0 {
			d.ExpiresAt = now.Add(b.Forget)
		}
		if err = b.Documents.Put(ctx, d); !errors.Is(err, upload.ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("note a changed key: %w", upload.ErrChanged)
}

// ChangedIn returns the run that last found the key changed, or nothing.
func (b Book) ChangedIn(ctx context.Context, bucket, key string) (run string, err error) {
	collection, id := changedPlace(bucket, key)
	d, err := b.Documents.Get(ctx, collection, id)
	if err != nil {
		return "", fmt.Errorf("look up whether the key is changed: %w", err)
	}
	return string(d.Data), nil
}
