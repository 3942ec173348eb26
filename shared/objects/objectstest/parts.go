package objectstest

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

var parts = []test{
	{"an object in parts has the checksum of its parts", partsJoined},
	{"a part may be sent again: the last one counts", partAgain},
	{"a part with another SHA-256 is refused", partWrongSum},
	{"a part can be presigned", partPresigned},
	{"a completion is refused where the key has an object", completeTaken},
	{"a completion that is repeated finds its own", completeRepeated},
	{"a completion with parts that have not come is refused", completeWrong},
	{"of an upload that is over, everything is absent", partsOver},
	{"a look shows the SHA-256 that a put had, and none where it had none", statChecksum},
	{"a version is read from its beginning; one that is gone is absent", openVersion},
}

// large is a body of a part that another may follow.
var large = strings.Repeat("0123456789abcdef", objects.MinPartBytes/16)

func partOf(number int, body string) objects.Part {
	return objects.Part{Number: number, Size: int64(len(body)), SHA256: sum(body)}
}

// begin begins a multipart upload of these parts.
func begin(t *testing.T, w World, bucket, key string, bodies ...string) (id string, sent []objects.Part) {
	t.Helper()
	id, err := w.Store().BeginMultipart(t.Context(), bucket, key, "video/mp4")
	must(t, err)
	for i, body := range bodies {
		p, err := w.Store().UploadPart(t.Context(), bucket, key, id, partOf(i+1, body), once(body))
		must(t, err)
		sent = append(sent, p)
	}
	return id, sent
}

// once is a body that can only be read once.
func once(body string) io.Reader { return io.LimitReader(strings.NewReader(body), int64(len(body))) }

func listParts(t *testing.T, w World, bucket, key, id string) []objects.Part {
	t.Helper()
	var all []objects.Part
	for p, err := range w.Store().ListParts(t.Context(), bucket, key, id) {
		must(t, err)
		all = append(all, p)
	}
	return all
}

func partsJoined(t *testing.T, w World) {
	b, key := w.Bucket(t, Enabled), "a b/é"
	id, sent := begin(t, w, b, key, large, "the end")
	if diff := cmp.Diff(sent, listParts(t, w, b, key, id)); diff != "" {
		t.Errorf("parts (-sent +listed):\n%s", diff)
	}
	stored, err := w.Store().CompleteMultipart(t.Context(), b, key, id, sent)
	must(t, err)
	stands(t, w, b, key, stored.VersionID)
	facts, err := w.Store().Stat(t.Context(), b, key, stored.VersionID)
	must(t, err)
	if want := objects.Composite(sent); facts.Checksum != want || facts.Size != int64(len(large)+7) || facts.ETag != stored.ETag {
		t.Errorf("facts are %+v, want the checksum %s and the ETag %s", facts, want, stored.ETag)
	}
	if got := read(t, w, b, key, stored.VersionID); got != large+"the end" {
		t.Errorf("read %d bytes", len(got))
	}
	for m, err := range w.Store().Multiparts(t.Context(), b, "") {
		must(t, err)
		t.Errorf("still unfinished: %+v", m)
	}
}

func partAgain(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, _ := begin(t, w, b, "a", "first")
	p, err := w.Store().UploadPart(t.Context(), b, "a", id, partOf(1, "other"), once("other"))
	must(t, err)
	if got := listParts(t, w, b, "a", id); len(got) != 1 || !bytes.Equal(got[0].SHA256, sum("other")) {
		t.Errorf("listed %+v", got)
	}
	stored, err := w.Store().CompleteMultipart(t.Context(), b, "a", id, []objects.Part{p})
	must(t, err)
	if got := read(t, w, b, "a", stored.VersionID); got != "other" {
		t.Errorf("read %q", got)
	}
}

// Without the comparison, a part that was damaged on its way would be published
// under the sum of another.
func partWrongSum(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, _ := begin(t, w, b, "a")
	p := partOf(1, "1")
	p.SHA256 = sum("2")
	_, err := w.Store().UploadPart(t.Context(), b, "a", id, p, strings.NewReader("1"))
	wantKind(t, err, upload.ErrRefused)
	p.SHA256 = nil
	_, err = w.Store().UploadPart(t.Context(), b, "a", id, p, strings.NewReader("1"))
	wantKind(t, err, upload.ErrRefused)
	if got := listParts(t, w, b, "a", id); len(got) != 0 {
		t.Errorf("listed %+v", got)
	}
}

func partPresigned(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, _ := begin(t, w, b, "a b/é")
	p, err := w.Store().PresignPart(t.Context(), b, "a b/é", id, partOf(1, "123"), time.Minute)
	must(t, err)
	must(t, w.Redeem(t, p, "123"))
	got := listParts(t, w, b, "a b/é", id)
	if len(got) != 1 || got[0].Size != 3 || !bytes.Equal(got[0].SHA256, sum("123")) {
		t.Fatalf("listed %+v", got)
	}
	stored, err := w.Store().CompleteMultipart(t.Context(), b, "a b/é", id, got)
	must(t, err)
	stands(t, w, b, "a b/é", stored.VersionID)
	if err := w.Redeem(t, p, "123"); err == nil {
		t.Error("a part was sent after the completion")
	}
}

// Without If-None-Match, a late completion would put another version on top of
// the one that the manifest names.
func completeTaken(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, sent := begin(t, w, b, "a", "1")
	first, err := put(t, w, b, "a", "2")
	must(t, err)
	_, err = w.Store().CompleteMultipart(t.Context(), b, "a", id, sent)
	wantKind(t, err, upload.ErrRefused)
	stands(t, w, b, "a", first)
	must(t, w.Store().Abort(t.Context(), b, "a", id))
}

// Without the look, a writer whose first answer was lost would be told that
// there is nothing, and its object would stand unrecorded.
func completeRepeated(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, sent := begin(t, w, b, "a", "1")
	first, err := w.Store().CompleteMultipart(t.Context(), b, "a", id, sent)
	must(t, err)
	again, err := w.Store().CompleteMultipart(t.Context(), b, "a", id, sent)
	if err != nil || again != first {
		t.Errorf("again: %+v, %v; first: %+v", again, err, first)
	}
	stands(t, w, b, "a", first.VersionID)
}

func completeWrong(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, sent := begin(t, w, b, "a", "1")
	missing := partOf(2, "2")
	missing.ETag = sent[0].ETag
	_, err := w.Store().CompleteMultipart(t.Context(), b, "a", id, append(sent, missing))
	wantKind(t, err, upload.ErrRefused)
	_, err = w.Store().CompleteMultipart(t.Context(), b, "a", id, nil)
	wantKind(t, err, upload.ErrRefused)
	stands(t, w, b, "a")
}

func partsOver(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, sent := begin(t, w, b, "a", "1")
	must(t, w.Store().Abort(t.Context(), b, "a", id))
	_, err := w.Store().UploadPart(t.Context(), b, "a", id, partOf(1, "1"), strings.NewReader("1"))
	wantKind(t, err, upload.ErrAbsent)
	_, err = w.Store().CompleteMultipart(t.Context(), b, "a", id, sent)
	wantKind(t, err, upload.ErrAbsent)
	for _, err = range w.Store().ListParts(t.Context(), b, "a", id) {
		break
	}
	wantKind(t, err, upload.ErrAbsent)
}

func statChecksum(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	id, err := put(t, w, b, "a", "1")
	must(t, err)
	facts, err := w.Store().Stat(t.Context(), b, "a", id)
	must(t, err)
	if want := objects.Checksum(sum("1")); facts.Checksum != want {
		t.Errorf("the checksum is %q, want %q", facts.Checksum, want)
	}
	bare, err := w.Store().Put(t.Context(), b, "b", strings.NewReader("1"), objects.Content{Size: 1})
	must(t, err)
	facts, err = w.Store().Stat(t.Context(), b, "b", bare.VersionID)
	if err != nil || facts.Checksum != "" {
		t.Errorf("without a sum: %+v, %v", facts, err)
	}
}

func read(t *testing.T, w World, bucket, key, versionID string) string {
	t.Helper()
	body, err := w.Store().Open(t.Context(), bucket, key, versionID)
	must(t, err)
	content, err := io.ReadAll(body)
	must(t, err)
	must(t, body.Close())
	return string(content)
}

func openVersion(t *testing.T, w World) {
	b := w.Bucket(t, Enabled)
	first, second := w.Write(t, b, "a", "first"), w.Write(t, b, "a", "second")
	if a, b := read(t, w, b, "a", first), read(t, w, b, "a", second); a != "first" || b != "second" {
		t.Errorf("read %q and %q", a, b)
	}
	deleteAll(t, w, b, condemn(t, b, "a", first))
	_, err := w.Store().Open(t.Context(), b, "a", first)
	wantKind(t, err, upload.ErrAbsent)
	_, err = w.Store().Open(t.Context(), b, "a", w.Mark(t, b, "a"))
	wantKind(t, err, upload.ErrAbsent)
}
