package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/objects/objectstest"
)

func TestConformance(t *testing.T) {
	s, c := newStore()
	objectstest.Run(t, &world{store: s, clock: c})
}

type world struct {
	store   *memory.Store
	clock   *clock
	buckets int
}

var states = map[objectstest.Versioning]memory.Versioning{
	objectstest.Enabled: memory.Enabled, objectstest.Suspended: memory.Suspended, objectstest.Never: memory.Never,
}

func (w *world) Store() objectstest.Store { return w.store }

func (w *world) Bucket(t testing.TB, v objectstest.Versioning) string {
	w.buckets++
	name := fmt.Sprintf("bucket-%d", w.buckets)
	w.SetVersioning(t, name, v)
	return name
}

func (w *world) SetVersioning(_ testing.TB, bucket string, v objectstest.Versioning) {
	w.store.CreateBucket(bucket, memory.BucketOptions{Versioning: states[v]})
}

func (w *world) Write(_ testing.TB, bucket, key, body string) string {
	return w.store.Write(bucket, key, []byte(body), time.Time{}).VersionID
}

func (w *world) Mark(_ testing.TB, bucket, key string) string {
	return w.store.Mark(bucket, key).VersionID
}

func (w *world) Lock(t testing.TB, bucket, key, versionID string) time.Time {
	t.Helper()
	until := w.clock.at.Add(time.Hour)
	if err := w.store.Lock(bucket, key, versionID, memory.Lock{Until: until}); err != nil {
		t.Fatal(err)
	}
	return until
}

func (w *world) Hold(t testing.TB, bucket, key, versionID string) {
	t.Helper()
	if err := w.store.SetLegalHold(bucket, key, versionID, true); err != nil {
		t.Fatal(err)
	}
}

func (w *world) Redeem(t testing.TB, p objects.Presigned, body string) error {
	_, err := w.store.Redeem(t.Context(), p, strings.NewReader(body))
	return err
}

func TestMarkersConformance(t *testing.T) {
	s, c := newStore()
	objectstest.RunMarkers(t, &world{store: s, clock: c}, s)
}
