package starting

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// function is one of the five, with the event that it is given first.
type function struct {
	name      string
	variables func(w *world) []string
	// event makes an event, and what has to be true of its answer.
	event func(ctx context.Context, w *world) (event []byte, check func(answer []byte) error, err error)
}

var functions = []function{
	{"scheduler", func(w *world) []string { return []string{"QUEUE_URL=" + w.cloud.QueueURL} }, pass},
	{"worker", func(w *world) []string {
		return []string{"QUEUE_URL=" + w.cloud.QueueURL, "DEAD_LETTER_URL=" + w.cloud.DeadLetterURL}
	}, purge},
	{"reconciler", func(w *world) []string {
		return []string{"INVENTORY_BUCKET=" + w.Bucket, "SOURCE_BUCKETS=" + w.Bucket}
	}, sweep},
	{"recorder", func(*world) []string { return nil }, notice},
	{"relay", func(w *world) []string {
		return []string{"RELEASES_DEAD_URL=" + w.cloud.DeadLetterURL, `SOURCES=[{"name":"shop","tenant":"` + tenant + `","bucket":"` + w.Bucket + `"}]`}
	}, released},
}

// says expects a piece of text in the answer.
func says(text string) func([]byte) error {
	return func(answer []byte) error {
		if !bytes.Contains(answer, []byte(text)) {
			return fmt.Errorf("its answer has no %s: %s", text, answer)
		}
		return nil
	}
}

// pass is a pass over whatever is due.
func pass(_ context.Context, _ *world) ([]byte, func([]byte) error, error) {
	event, err := json.Marshal(map[string]string{"task": "pass", "schedule": "passes", "time": time.Now().UTC().Format(time.RFC3339Nano)})
	return event, says(`"state":"done"`), err
}

// purge is one upload that goes.
func purge(ctx context.Context, w *world) ([]byte, func([]byte) error, error) {
	r, err := w.cancelled(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := command.Encode(w.Command(r))
	if err != nil {
		return nil, nil, err
	}
	event, err := message(string(text))
	return event, func([]byte) error {
		now, err := w.Stores.Ledger.Load(ctx, r.ID)
		if err == nil && now.State != upload.StateDeleted {
			err = fmt.Errorf("the upload is %s", now.State)
		}
		return err
	}, err
}

// sweep is a look for unfinished multipart uploads.
func sweep(_ context.Context, _ *world) ([]byte, func([]byte) error, error) {
	event, err := json.Marshal(map[string]string{"task": "sweep", "schedule": "daily", "time": time.Now().UTC().Format(time.RFC3339)})
	return event, says(`"swept"`), err
}

// notice is that of an object that came by itself: it is recorded.
func notice(ctx context.Context, w *world) ([]byte, func([]byte) error, error) {
	s, key, o, err := w.reserved(ctx)
	if err != nil {
		return nil, nil, err
	}
	event, err := lambdaevent.Created(storageevent.Created{
		Bucket: w.Bucket, Key: key, VersionID: o.VersionID, Size: int64(len(body)), ETag: o.ETag, At: time.Now(),
	})
	return event, func([]byte) error {
		now, err := w.Stores.Ledger.Load(ctx, s.ID())
		if err == nil && now.Manifest.Object(s.Key(1)).VersionID != o.VersionID {
			err = fmt.Errorf("its object is not recorded: %s", now.State)
		}
		return err
	}, err
}

// released is a row of an application that lets its object go: it is adopted.
func released(ctx context.Context, w *world) ([]byte, func([]byte) error, error) {
	w.count++
	id := fmt.Sprint(w.count)
	key := "photos/" + id + ".jpg"
	o, err := w.stored(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(release.Message{
		Schema: release.Schema, ID: id, Source: "shop", Tenant: tenant, At: time.Now().UTC(), Bucket: w.Bucket, Key: key, VersionID: o.VersionID,
	})
	if err != nil {
		return nil, nil, err
	}
	event, err := message(string(text))
	return event, says(`"batchItemFailures":[]`), err
}
