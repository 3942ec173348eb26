package installation_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// uploader is a process of an application that takes whole files, and what goes
// wrong around it: its ledger by the script, its puts by put.
type uploader struct {
	*intake.Service
	script *script
	put    func(do func() (objects.Stored, error)) (objects.Stored, error)
}

// errLink is what a broken connection leaves: of no kind that says what was
// done.
var errLink = errors.New("connection reset by peer")

// uploader is a new process of the application.
func (w *world) uploader(t *testing.T) *uploader {
	t.Helper()
	u := &uploader{script: &script{}}
	seen := u.script.over(w.recorder.over(w.Stores))
	service, err := intake.New(intake.Config{
		Records: seen.Ledger, Lookups: seen.Ledger, Objects: scriptedPuts{w.Stores.Objects, u},
		Policy: w.Policy, Now: w.Clock.Now, NewID: w.newID, Uploads: papers(w.Bucket),
	})
	must(t, err)
	u.Service = service
	return u
}

// papers takes PDF documents of up to 8 MiB.
func papers(bucket string) intake.Uploads {
	return intake.Uploads{Bucket: bucket, Prefix: "in", PartBytes: objects.MinPartBytes, Limits: validate.Limits{
		Kinds: map[string]validate.Rules{"paper": {MaxBytes: 8 << 20, Types: []validate.Type{validate.PDF()}}},
	}}
}

type scriptedPuts struct {
	intake.Objects
	by *uploader
}

func (o scriptedPuts) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	do := func() (objects.Stored, error) { return o.Objects.Put(ctx, bucket, key, body, c) }
	if o.by.put == nil {
		return do()
	}
	return o.by.put(do)
}

// paper is a document that holds these words.
func paper(words string) *bytes.Reader { return bytes.NewReader([]byte("%PDF-1.7\n" + words)) }

// ann is the owner of these stories, with so many places.
func ann(places int64) intake.Owner {
	return intake.Owner{Tenant: tenant, ID: owner, QuotaLimit: places}
}

func named(name, key string) intake.Meta {
	return intake.Meta{Kind: "paper", Name: name, IdempotencyKey: key}
}

// send uploads a document that nothing keeps from being uploaded.
func (u *uploader) send(t *testing.T, words string) intake.Uploaded {
	t.Helper()
	done, err := u.Upload(t.Context(), ann(quota), paper(words), named("a.pdf", ""))
	must(t, err)
	return done
}

// only is the one upload of this world.
func (w *world) only(t *testing.T) upload.Record {
	t.Helper()
	records := w.records(t)
	if len(records) != 1 {
		t.Fatalf("%d uploads were written, want one", len(records))
	}
	return records[0]
}

// wantOnly expects that the one upload is in this state, given up for this
// reason, and that so many versions stand for it.
func (w *world) wantOnly(t *testing.T, state upload.State, reason string, standing int) upload.Record {
	t.Helper()
	r := w.only(t)
	if r.State != state || r.Reason != reason {
		t.Errorf("the upload is %s (%q), want %s (%q)", r.State, r.Reason, state, reason)
	}
	if stand := w.bucket(t); len(stand) != standing {
		t.Errorf("%d objects stand, want %d", len(stand), standing)
	}
	return r
}

// wantPurged lets the graces pass after which a cancelled upload goes, and
// expects that nothing of it is left.
func (w *world) wantPurged(t *testing.T) {
	t.Helper()
	w.Clock.Advance(afterDeadline)
	w.wantPass(t, "published 1")
	w.drain(t)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantOnly(t, upload.StateDeleted, w.only(t).Reason, 0)
}

// wantRepaired lets the time pass after which an upload that nobody could
// cancel is found, and expects that it goes as the others do.
func (w *world) wantRepaired(t *testing.T) {
	t.Helper()
	w.Clock.Advance(32 * time.Hour)
	w.wantPass(t, "repaired 1")
	w.wantPurged(t)
}

// wantPlain expects an error of the kind, that tells no name, key or content.
func wantPlain(t *testing.T, kind, err error) {
	t.Helper()
	want(t, kind, err)
	for _, secret := range []string{"secret", "in/" + tenant} {
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells %q: %v", secret, err)
		}
	}
}
