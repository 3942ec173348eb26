package bill

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// hold outlasts the activity grace: what is not looked at before it is over is
// marked at the first look.
const hold = 48 * time.Hour

// seeders is how many write the backlog side by side.
const seeders = 16

// backlog is the same ids in every run, as long as an application's: 100 in each
// of the first shards.
func backlog(shards int) []upload.ID {
	var all []upload.ID
	var count [ledger.Shards]int
	for n := 0; len(all) < shards*perShard; n++ {
		id := upload.ID{Tenant: fmt.Sprintf("tenant-%04d", n%100), Upload: fmt.Sprintf("0198f3a2-7c1e-7b5a-9d3e-%012d", n)}
		if shard := ledger.Shard(id); shard < shards && count[shard] < perShard {
			count[shard]++
			all = append(all, id)
		}
	}
	return all
}

// abandon writes the backlog. Of the first upload of each shard the objects are
// really put, and returned, to be looked for at the end; for the others the
// store is not asked to keep what nobody reads: an absent version is deleted by
// the same calls.
func (s *scene) abandon(ctx context.Context) (standing []upload.Record, err error) {
	all, real := s.ids, map[upload.ID]bool{}
	var seen [ledger.Shards]bool
	for _, id := range all {
		real[id] = !seen[ledger.Shard(id)]
		seen[ledger.Shard(id)] = true
	}
	records := make([]upload.Record, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(seeders)
	for i, id := range all {
		group.Go(func() (err error) {
			records[i], err = s.abandonOne(ctx, id, real[id])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, r := range records {
		if real[r.ID] {
			standing = append(standing, r)
		}
	}
	return standing, nil
}

// abandonOne reserves an upload and records its objects as its writer would,
// but writes the result at once. Nothing comes after it.
func (s *scene) abandonOne(ctx context.Context, id upload.ID, real bool) (upload.Record, error) {
	now := s.Clock.Now()
	change, err := upload.Step(s.Policy, upload.Record{}, upload.Reserve{
		ID: id, Owner: "owner-000017", Holder: "i-0abcdef1234567890/worker-3", Lease: 10 * time.Minute,
		HoldUntil: now.Add(hold), Bucket: s.Bucket, Prefix: "uploads", Declared: Objects,
	}, now)
	if err != nil {
		return upload.Record{}, err
	}
	r := change.After
	for seq := 1; seq <= Objects; seq++ {
		put, err := s.put(ctx, r, seq, real)
		if err != nil {
			return r, err
		}
		next, err := upload.Step(s.Policy, r, put, now)
		if err != nil {
			return r, err
		}
		r = next.After
	}
	r.Version = change.After.Version // one write instead of eleven
	change.After = r
	return r, s.Stores.Ledger.Commit(ctx, change)
}

// put is the record of one object, with facts as long as S3's.
func (s *scene) put(ctx context.Context, r upload.Record, seq int, real bool) (upload.RecordObject, error) {
	e := upload.RecordObject{
		Fence: r.Fence, Seq: seq, VersionID: strings.Repeat("v", 32), Size: 8 << 20,
		ETag: strings.Repeat("e", 32), Checksum: strings.Repeat("c", 44),
	}
	if !real {
		return e, nil
	}
	key := r.ObjectKey(upload.Key{Attempt: r.Fence, Seq: seq})
	stored, err := s.Stores.Objects.Put(ctx, r.Bucket, key, strings.NewReader("stale"), objects.Content{Size: 5})
	e.VersionID = stored.VersionID
	return e, err
}
