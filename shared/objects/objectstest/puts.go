package objectstest

import (
	"crypto/sha256"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

var puts = []test{
	{"a key gets one version: the second put is refused", putOnce},
	{"over a delete marker a put is allowed", putOverMarker},
	{"a body with another SHA-256 is refused", putWrongSum},
	{"a body that can only be read once is put", putStream},
	{"an empty body is put, also by a presigned put", putEmpty},
	{"a presigned put is good for one object", presignedOnce},
	{"a put can be presigned without a SHA-256", presignedUnbound},
	{"a context that is over puts nothing", putCancelled},
}

func sum(body string) []byte {
	digest := sha256.Sum256([]byte(body))
	return digest[:]
}

func content(body string) objects.Content {
	return objects.Content{Size: int64(len(body)), SHA256: sum(body)}
}

// put puts body with its SHA-256 from something that cannot seek.
func put(t *testing.T, w World, bucket, key, body string) (string, error) {
	t.Helper()
	r := io.LimitReader(strings.NewReader(body), int64(len(body)))
	stored, err := w.Store().Put(t.Context(), bucket, key, r, content(body))
	return stored.VersionID, err
}

// Without If-None-Match, a late writer's put would hide the first version, and
// the manifest would name an object that nobody reads.
func putOnce(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	first, err := put(t, w, b, "a", "1")
	must(t, err)
	_, err = put(t, w, b, "a", "1")
	wantKind(t, err, upload.ErrRefused)
	stands(t, w, b, "a", first)
}

func putOverMarker(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	marker := w.Mark(t, b, "a")
	id, err := put(t, w, b, "a", "1")
	must(t, err)
	stands(t, w, b, "a", id, marker)
}

func putWrongSum(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	_, err := w.Store().Put(t.Context(), b, "a", strings.NewReader("1"), objects.Content{Size: 1, SHA256: sum("2")})
	wantKind(t, err, upload.ErrRefused)
	stands(t, w, b, "a")
}

func putStream(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	body := strings.Repeat("0123456789", 10_000)
	id, err := put(t, w, b, "a b/é", body)
	must(t, err)
	facts, err := w.Store().Stat(t.Context(), b, "a b/é", id)
	if err != nil || facts.Size != int64(len(body)) {
		t.Errorf("got %+v, %v", facts, err)
	}
}

func putEmpty(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, err := put(t, w, b, "a", "")
	must(t, err)
	stands(t, w, b, "a", id)
	p, err := w.Store().PresignPut(t.Context(), b, "b", content(""), time.Minute)
	must(t, err)
	must(t, w.Redeem(t, p, ""))
	if got := idsOf(t, w, b, "b"); len(got) != 1 {
		t.Errorf("%d versions", len(got))
	}
}

func presignedOnce(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	p, err := w.Store().PresignPut(t.Context(), b, "a b/é", content("1"), time.Minute)
	must(t, err)
	if p.ExpiresAt.IsZero() || p.Header.Get("If-None-Match") != "*" {
		t.Errorf("presigned: %+v", p)
	}
	must(t, w.Redeem(t, p, "1"))
	wantKind(t, w.Redeem(t, p, "1"), upload.ErrRefused)
	if got := idsOf(t, w, b, "a b/é"); len(got) != 1 {
		t.Errorf("%d versions", len(got))
	}
}

// A browser may not know the sum; the size is signed all the same.
func presignedUnbound(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	p, err := w.Store().PresignPut(t.Context(), b, "a", objects.Content{Size: 3}, time.Minute)
	must(t, err)
	if p.Header.Get("Content-Length") != "3" {
		t.Errorf("presigned: %+v", p)
	}
	must(t, w.Redeem(t, p, "abc"))
	wantKind(t, w.Redeem(t, p, "abc"), upload.ErrRefused)
}

func putCancelled(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	if _, err := w.Store().Put(cancelled(t), b, "a", strings.NewReader("1"), content("1")); err == nil {
		t.Error("no error")
	}
	stands(t, w, b, "a")
}
