package confirm

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is where upload records live.
type Records interface {
	// Load reads consistently; the zero Record if there is none.
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Store looks at objects; it cannot change one.
type Store interface {
	// Stat shows one version; ErrAbsent if it does not stand.
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	// Open reads one version from its beginning; ErrAbsent if it does not stand.
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
}

// Recorder takes storage events. All but Audit are required.
type Recorder struct {
	Records Records
	Store   Store
	Policy  policy.Policy
	// Concurrency is how many uploads are worked on at once. Events of one
	// upload take turns: they write the same record.
	Concurrency int
	Now         func() time.Time
	Sleep       func(ctx context.Context, d time.Duration) error
	Log         *slog.Logger
	// Audit gets a line for each upload that is completed or cancelled.
	Audit audit.To
}

// Validate says in one line what is missing.
func (r *Recorder) Validate() error {
	switch {
	case r.Records == nil || r.Store == nil || r.Now == nil || r.Sleep == nil || r.Log == nil:
		return errors.New("confirm: Records, Store, Now, Sleep and Log are required")
	case r.Concurrency < 1:
		return errors.New("confirm: Concurrency must be positive")
	}
	return r.Policy.Validate()
}

// Confirm takes events and says what became of each, in their order.
func (r *Recorder) Confirm(ctx context.Context, all []storageevent.Created) []Outcome {
	outcomes := make([]Outcome, len(all))
	var group errgroup.Group
	group.SetLimit(r.Concurrency)
	for _, turns := range byUpload(all) {
		group.Go(func() error {
			for _, i := range turns {
				outcomes[i] = r.confirm(ctx, all[i])
				r.log(ctx, outcomes[i])
			}
			return nil
		})
	}
	_ = group.Wait() // none of them returns an error
	return outcomes
}

// byUpload groups the indexes of events by whose key they are about, in order.
func byUpload(all []storageevent.Created) [][]int {
	var groups [][]int
	at := map[upload.ID]int{}
	for i, c := range all {
		id, _, ours := upload.ParseObjectKey(c.Key)
		g, known := at[id]
		if !ours || !known {
			g, groups = len(groups), append(groups, nil)
		}
		if ours {
			at[id] = g
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

func (r *Recorder) log(ctx context.Context, o Outcome) {
	level := slog.LevelInfo
	switch o.Kind {
	case KindFailed:
		level = slog.LevelError
	case KindCancelled:
		level = slog.LevelWarn
	case KindSkipped:
		level = slog.LevelDebug
	}
	fields := []slog.Attr{
		slog.String("tenant", o.Upload.Tenant), slog.String("upload", o.Upload.Upload),
		slog.String("outcome", string(o.Kind)), slog.String("reason", o.Reason),
	}
	if o.Err != nil {
		fields = append(fields, slog.String("error", o.Err.Error()))
	}
	r.Log.LogAttrs(ctx, level, "confirm", fields...)
}
