package sim

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"

	memory "github.com/strandline-dev/strandline/shared/objects/memory"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// bucketName is the one bucket of the world.
const bucketName = "uploads"

// objectStore is the storage as one process sees it. What is not overridden
// here does nothing that anybody could see.
type objectStore struct {
	*memory.Store
	process *process
	world   *world
}

// short names a key for the trace: upload, attempt and sequence.
func short(key string) string {
	dir, seq := path.Split(key)
	dir, attempt := path.Split(strings.TrimSuffix(dir, "/"))
	return path.Base(dir) + " " + attempt + "/" + seq
}

func (o objectStore) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	what := "puts " + short(key)
	w := o.process.enter(what, throttled, timeout, lost, slow, echo)
	if !w.done() {
		return objects.Stored{}, failed(what, w)
	}
	stored, err := o.Store.Put(ctx, bucket, key, body, c)
	if err != nil {
		o.process.refused(err)
		return stored, err
	}
	o.world.stored(key, stored.VersionID)
	if w = o.process.answered(what, w); w == asked || w == slow {
		return stored, nil
	}
	return objects.Stored{}, failed(what, w)
}

func (o objectStore) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	what := "deletes"
	for _, v := range versions {
		what += fmt.Sprintf(" %s@%s", short(v.Key()), v.VersionID())
	}
	w := o.process.enter(what, throttled, timeout, lost, part, part, denied, slow)
	if w != dead && o.world.outage != asked {
		w = o.world.outage
	}
	if w == dead || w == timeout {
		return nil
	}
	results := make([]objects.Result, len(versions))
	for i, v := range versions {
		results[i] = objects.Result{Condemned: v, Outcome: objects.Throttled, Code: "SlowDown"}
		switch one := o.fate(w); one {
		case throttled:
			if o.world.broken == alwaysGone {
				results[i].Outcome = objects.Gone
			}
		case denied:
			results[i].Outcome, results[i].Code = objects.Denied, "AccessDenied"
		case timeout:
			results[i].Outcome = objects.Unclear
		default:
			o.world.witness.deletes(o.process, v)
			results[i] = o.Store.Delete(ctx, bucket, []upload.Condemned{v})[0]
			o.world.alsoDeletes(v)
			if one == lost {
				results[i] = objects.Result{Condemned: v, Outcome: objects.Unclear}
			}
		}
	}
	if w = o.process.answered(what, w); w == lost || w == dead {
		return nil
	}
	return results
}

// fate is what becomes of one version in a call that was done in part.
func (o objectStore) fate(w way) way {
	if w != part {
		return w
	}
	d := o.process.host.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	one := [...]way{asked, throttled, timeout, lost, denied}[d.dice.draw("parts of "+o.process.host.name, 5)]
	d.note(o.process.host.name, "  of these", one)
	return one
}

func (o objectStore) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	what := "lists versions of " + path.Base(strings.TrimSuffix(prefix, "/"))
	w := o.process.enter(what, throttled, timeout, part)
	if !w.done() && w != part {
		return func(yield func(objects.Version, error) bool) { yield(objects.Version{}, failed(what, w)) }
	}
	all := torn(o.Store.Versions(ctx, bucket, prefix), what, w)
	if o.world.broken == tornLists {
		return whole(all)
	}
	return all
}

func (o objectStore) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	what := "looks at " + short(key) + "@" + versionID
	if w := o.process.enter(what, throttled, timeout); !w.done() {
		return objects.Facts{}, failed(what, w)
	}
	return o.Store.Stat(ctx, bucket, key, versionID)
}

func (o objectStore) Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error) {
	what := "reads " + short(key) + "@" + versionID
	if w := o.process.enter(what, throttled, timeout); !w.done() {
		return nil, failed(what, w)
	}
	return o.Store.Open(ctx, bucket, key, versionID)
}

func (o objectStore) CheckBucket(ctx context.Context, name string) error {
	const what = "checks the bucket"
	if w := o.process.enter(what, throttled, timeout); !w.done() {
		return failed(what, w)
	}
	return o.Store.CheckBucket(ctx, name)
}

func (o objectStore) Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error] {
	what := "lists parts of " + path.Base(strings.TrimSuffix(prefix, "/"))
	w := o.process.enter(what, throttled, timeout, part)
	if !w.done() && w != part {
		return func(yield func(objects.Multipart, error) bool) { yield(objects.Multipart{}, failed(what, w)) }
	}
	return torn(o.Store.Multiparts(ctx, bucket, prefix), what, w)
}

func (o objectStore) Abort(ctx context.Context, bucket, key, uploadID string) error {
	what := "aborts " + uploadID + " of " + short(key)
	w := o.process.enter(what, throttled, timeout, lost)
	if !w.done() {
		return failed(what, w)
	}
	o.world.witness.aborts(o.process, key, uploadID)
	if err := o.Store.Abort(ctx, bucket, key, uploadID); err != nil {
		return err
	}
	return failed(what, w)
}

func (o objectStore) BeginMultipart(ctx context.Context, bucket, key, mediaType string) (string, error) {
	what := "begins parts of " + short(key)
	w := o.process.enter(what, throttled, timeout, lost)
	if !w.done() {
		return "", failed(what, w)
	}
	id, err := o.Store.BeginMultipart(ctx, bucket, key, mediaType)
	if err != nil {
		return "", err
	}
	return id, failed(what, w)
}

func (o objectStore) UploadPart(ctx context.Context, bucket, key, uploadID string, p objects.Part, body io.Reader) (objects.Part, error) {
	what := fmt.Sprintf("sends part %d of %s", p.Number, short(key))
	w := o.process.enter(what, throttled, timeout, lost)
	if !w.done() {
		return objects.Part{}, failed(what, w)
	}
	sent, err := o.Store.UploadPart(ctx, bucket, key, uploadID, p, body)
	if err != nil {
		return sent, err
	}
	return sent, failed(what, w)
}

func (o objectStore) PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error) {
	if !o.process.alive() {
		return objects.Presigned{}, errDead
	}
	return o.Store.PresignPut(ctx, bucket, key, c, life)
}

// Redeem is what a client does with a URL that it was given.
func (o objectStore) Redeem(ctx context.Context, p objects.Presigned, body io.Reader, key string) error {
	what := "redeems a URL of " + short(key)
	w := o.process.enter(what, timeout, lost, slow)
	if !w.done() {
		return failed(what, w)
	}
	stored, err := o.Store.Redeem(ctx, p, body)
	if err != nil {
		o.process.refused(err)
		return err
	}
	o.world.stored(key, stored.VersionID)
	return failed(what, o.process.answered(what, w))
}
