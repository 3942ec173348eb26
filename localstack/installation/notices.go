package installation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/storageevent"
)

// recorderConcurrency is the recorder's own default.
const recorderConcurrency = 16

// Notice is what S3 tells of a version that stands in the installation's bucket.
func (i *Installation) Notice(ctx context.Context, key, versionID string) (storageevent.Created, error) {
	facts, err := i.Stores.Objects.Stat(ctx, i.Bucket, key, versionID)
	if err != nil {
		return storageevent.Created{}, err
	}
	return storageevent.Created{
		Bucket: i.Bucket, Key: key, VersionID: versionID, Size: facts.Size, ETag: facts.ETag, At: i.Clock.Now(),
	}, nil
}

// Recorded tells the recorder of created objects, as S3 does in one event of its
// own, and returns what became of them.
func (i *Installation) Recorded(ctx context.Context, all ...storageevent.Created) (confirm.Tally, error) {
	records := make([]any, len(all))
	for n, c := range all {
		records[n] = map[string]any{
			"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": c.At.UTC().Format(time.RFC3339Nano),
			"s3": map[string]any{
				"bucket": map[string]any{"name": c.Bucket},
				"object": map[string]any{
					"key": url.QueryEscape(c.Key), "versionId": c.VersionID, "size": c.Size, "eTag": c.ETag, "sequencer": c.Sequencer,
				},
			},
		}
	}
	raw, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		return confirm.Tally{}, err
	}
	answer, err := i.recorder.Handle(ctx, raw)
	tally, ok := answer.(confirm.Tally)
	if err == nil && !ok {
		err = fmt.Errorf("the recorder answers a %T", answer)
	}
	return tally, err
}
