package purging

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	owner  = "owner"
	prefix = "up"
	// objectBytes is the size of each object, etag what its store says of it.
	objectBytes = 4
	etag        = "8d777f385d3dfec8815d20f7496026dc"
	// long is how long before now the uploads were given up: every grace is over.
	long = 48 * time.Hour
)

func nameOf(i int) upload.ID {
	return upload.ID{Tenant: "acme", Upload: fmt.Sprintf("upload-%06d", i)}
}

// cancelled is an upload of these object versions that was given up, and is due.
func cancelled(id upload.ID, bucket string, versions []string, now time.Time) (upload.Record, error) {
	then := now.Add(-long)
	r, err := stepped(upload.Record{}, then, upload.Reserve{
		ID: id, Owner: owner, Holder: "writer", Lease: time.Minute, Bucket: bucket, Prefix: prefix, Declared: len(versions),
	})
	if err != nil {
		return r, err
	}
	for i, version := range versions {
		r.Manifest.Objects = append(r.Manifest.Objects, upload.Object{
			Key: upload.Key{Attempt: 1, Seq: i + 1}, VersionID: version, Size: objectBytes, ETag: etag,
		})
		r.Bytes += objectBytes
	}
	return stepped(r, then, upload.Cancel{Fence: 1, Reason: "bench"})
}

func stepped(r upload.Record, now time.Time, e upload.Event) (upload.Record, error) {
	change, err := upload.Step(policy.Default(), r, e, now)
	return change.After, err
}

// keyOf is the S3 key of an upload's object, from 1.
func keyOf(id upload.ID, seq int) string {
	return upload.Record{ID: id, Prefix: prefix}.ObjectKey(upload.Key{Attempt: 1, Seq: seq})
}

// committer is where records are written.
type committer interface {
	Commit(ctx context.Context, change upload.Change) error
}

// write writes a record as it is, and returns it with the version that it has
// then: a large one is written in steps, for a transaction has room for a few
// thousand objects.
func write(ctx context.Context, ledger committer, r upload.Record) (upload.Record, error) {
	const atOnce = 2_000
	all, before := r.Manifest.Objects, upload.Record{}
	for to := min(atOnce, len(all)); ; to = min(to+atOnce, len(all)) {
		after := r
		after.Manifest.Objects = all[:to]
		after.Version = before.Version + 1
		if err := ledger.Commit(ctx, upload.Change{Event: upload.KindReserve, Before: before, After: after}); err != nil {
			return r, err
		}
		if before = after; to == len(all) {
			return after, nil
		}
	}
}

// versionsOf are ids that no store gave: as long as those of S3.
func versionsOf(upload, objects int) []string {
	versions := make([]string, objects)
	for n := range versions {
		versions[n] = fmt.Sprintf("%016d%016d", upload, n)
	}
	return versions
}

// eventOf is the event that Lambda would be given for the purge of the records.
func eventOf(records []upload.Record, now time.Time) ([]byte, error) {
	all := make([]command.Received, len(records))
	for i, r := range records {
		body, err := command.Encode(upload.Command{
			Run: "bench#1", Operation: upload.OpClaim, ID: r.ID, Version: r.Version, Cutoff: now.Add(-time.Hour), Reason: "cancelled",
		})
		if err != nil {
			return nil, err
		}
		all[i] = command.Received{
			MessageID: fmt.Sprintf("message-%06d", i), Receipt: fmt.Sprintf("receipt-%06d", i), Body: string(body), Receives: 1,
		}
	}
	return lambdaevent.Messages(all...)
}
