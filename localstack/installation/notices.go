package installation

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
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
	raw, err := lambdaevent.Created(all...)
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
