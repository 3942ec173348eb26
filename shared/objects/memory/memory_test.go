package memory_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

const bucket = "bucket-a"

// clock is a clock that tests move by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newStore() (*memory.Store, *clock) {
	c := &clock{at: uploadtest.Begin}
	s := memory.New(c.now)
	s.CreateBucket(bucket, memory.BucketOptions{})
	return s, c
}

func TestARunThatIsRepeatedGivesTheSameVersionIDs(t *testing.T) {
	for range 2 {
		s, _ := newStore()
		s.Write(bucket, "a", []byte("1"), time.Time{})
		if got := s.Write(bucket, "a", []byte("2"), time.Time{}).VersionID; got != "v00000002" {
			t.Errorf("second version of a new store is %s", got)
		}
	}
}

func TestLockedVersionIsRetainedUntilItsDateAndGoneAfterIt(t *testing.T) {
	s, c := newStore()
	v := s.Write(bucket, "a", []byte("1"), time.Time{})
	until := c.at.Add(time.Hour)
	if err := s.Lock(bucket, "a", v.VersionID, memory.Lock{Mode: memory.Compliance, Until: until}); err != nil {
		t.Fatal(err)
	}
	condemned := uploadtest.Condemned(t, uploadtest.Version{Bucket: bucket, Key: "a", VersionID: v.VersionID})
	got := s.Delete(t.Context(), bucket, condemned)[0]
	if got.Outcome != objects.Retained || !got.Retained.Until.Equal(until) || got.Retained.Reason != objects.ReasonLock {
		t.Errorf("locked version: %+v", got)
	}
	c.at = until
	if got := s.Delete(t.Context(), bucket, condemned)[0]; got.Outcome != objects.Gone {
		t.Errorf("after the lock's date: %+v", got)
	}
}

func TestComplianceLockCannotBeShortenedAndGovernanceCan(t *testing.T) {
	s, c := newStore()
	v := s.Write(bucket, "a", nil, time.Time{})
	must(t, s.Lock(bucket, "a", v.VersionID, memory.Lock{Until: c.at.Add(time.Hour)}))
	must(t, s.Unlock(bucket, "a", v.VersionID))
	must(t, s.Lock(bucket, "a", v.VersionID, memory.Lock{Mode: memory.Compliance, Until: c.at.Add(time.Hour)}))
	if err := s.Unlock(bucket, "a", v.VersionID); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("unlock a compliance lock: %v", err)
	}
}

func TestPresignedPutIsGoodOnceAndUntilItExpires(t *testing.T) {
	s, c := newStore()
	sum := sha256.Sum256([]byte("1"))
	p, err := s.PresignPut(t.Context(), bucket, "a", objects.Content{Size: 1, SHA256: sum[:]}, time.Minute)
	must(t, err)
	_, err = s.Redeem(t.Context(), p, strings.NewReader("1"))
	must(t, err)
	if _, err := s.Redeem(t.Context(), p, strings.NewReader("1")); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("second use: %v", err)
	}
	c.at = c.at.Add(time.Minute + time.Millisecond)
	if _, err := s.Redeem(t.Context(), p, strings.NewReader("1")); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("after its life: %v", err)
	}
}

func TestBucketWithMFADeleteIsRefused(t *testing.T) {
	s, _ := newStore()
	s.CreateBucket(bucket, memory.BucketOptions{MFADelete: true})
	if err := s.CheckBucket(t.Context(), bucket); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

func TestListingIsASnapshotThatDeletesDoNotDisturb(t *testing.T) {
	s, _ := newStore()
	for _, key := range []string{"a", "b", "c"} {
		s.Write(bucket, key, nil, time.Time{})
	}
	seen := 0
	for v, err := range s.Versions(t.Context(), bucket, "") {
		must(t, err)
		seen++
		s.Delete(t.Context(), bucket, uploadtest.Condemned(t, uploadtest.Version{Bucket: bucket, Key: v.Key, VersionID: v.VersionID}))
	}
	if left := s.All(bucket); seen != 3 || len(left) != 0 {
		t.Errorf("saw %d of 3, %d left", seen, len(left))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
