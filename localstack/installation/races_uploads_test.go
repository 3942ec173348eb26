package installation_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races of files that are uploaded in one call.
var racesOfUploads = []race{
	{
		name: "a file is uploaded whole: complete, nothing is due, and what stands is what was sent",
		run: func(t *testing.T, w *world) {
			done := w.uploader(t).send(t, "secret words")
			r := w.wantOnly(t, upload.StateComplete, "", 1)
			if r.ID != done.ID || !r.DueAt.IsZero() || !r.QuotaHeld {
				t.Errorf("%s, due at %v, quota held: %v", r.ID, r.DueAt, r.QuotaHeld)
			}
			facts, err := w.Stores.Objects.Stat(t.Context(), done.Bucket, done.Key, done.VersionID)
			must(t, err)
			if facts.Size != done.Size || facts.Checksum != "" && facts.Checksum != done.SHA256 {
				t.Errorf("stored %+v, told %+v", facts, done)
			}
			w.Clock.Advance(30 * day)
			w.wantPass(t)
		},
	},
	{
		// What is larger than a part is one object all the same, and its multipart
		// upload is over.
		name: "a large file is uploaded in parts: one object, and no multipart upload is open",
		run: func(t *testing.T, w *world) {
			done := w.uploader(t).send(t, strings.Repeat("secret ", 1_000_000)) // a part, and the beginning of another
			w.wantOnly(t, upload.StateComplete, "", 1)
			facts, err := w.Stores.Objects.Stat(t.Context(), done.Bucket, done.Key, done.VersionID)
			must(t, err)
			if facts.Size != done.Size {
				t.Errorf("stored %+v, told %+v", facts, done)
			}
			for m, err := range w.Stores.Objects.Multiparts(t.Context(), w.Bucket, "") {
				must(t, err)
				t.Errorf("a multipart upload is open: %s", m.UploadID)
			}
		},
	},
	{
		// The content is judged before anything is reserved. Without that, what
		// calls itself a document and is a program stands until it is purged.
		name: "the extension is right and the content is not: refused, nothing is stored or written",
		run: func(t *testing.T, w *world) {
			_, err := w.uploader(t).Upload(t.Context(), ann(quota), strings.NewReader("MZ\x90\x00secret"), named("secret.pdf", ""))
			wantPlain(t, intake.ErrInvalid, err)
			if why, ok := intake.Explain(err); !ok || why.Field != validate.FieldFile || why.Sentence == "" {
				t.Errorf("explained as %+v", why)
			}
			if len(w.records(t)) != 0 || len(w.bucket(t)) != 0 {
				t.Error("something was written, or stored")
			}
		},
	},
	{
		// The content hash is taken in the reservation's transaction, for its owner.
		// Looked up first and written after, both stand; looked up for all, one
		// owner learns what another has.
		name: "the same content comes twice at once: one is live, and another owner is told nothing of it",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			answers := [2]struct {
				intake.Uploaded
				err error
			}{}
			var both sync.WaitGroup
			for i := range answers {
				both.Go(func() {
					answers[i].Uploaded, answers[i].err = u.Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", ""))
				})
			}
			both.Wait()
			one, other := answers[0], answers[1]
			if one.err != nil {
				one, other = other, one
			}
			must(t, one.err)
			wantPlain(t, upload.ErrDuplicate, other.err)
			if live, ok := intake.LiveUpload(other.err); !ok || live != one.ID {
				t.Errorf("told of %v, live is %v", live, one.ID)
			}
			w.wantOnly(t, upload.StateComplete, "", 1)
			for _, stranger := range []intake.Owner{{Tenant: tenant, ID: "ben"}, {Tenant: "zeta", ID: owner}} {
				_, err := u.Upload(t.Context(), stranger, paper("secret"), named("secret.pdf", ""))
				must(t, err)
			}
		},
	},
	{
		name: "four of five places are taken and two files come at once: one gets the last",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			for _, words := range []string{"one", "two", "three", "four"} {
				_, err := u.Upload(t.Context(), ann(5), paper(words), named("a.pdf", ""))
				must(t, err)
			}
			var both sync.WaitGroup
			errs := [2]error{}
			for i, words := range []string{"five", "six"} {
				both.Go(func() { _, errs[i] = u.Upload(t.Context(), ann(5), paper(words), named("a.pdf", "")) })
			}
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) {
				t.Errorf("got %v and %v, want one", errs[0], errs[1])
			}
			wantPlain(t, upload.ErrQuota, errors.Join(errs[0], errs[1]))
			if len(w.bucket(t)) != 5 {
				t.Errorf("%d objects stand", len(w.bucket(t)))
			}
		},
	},
	{
		// The key was declared with the reservation. Without that, a put that was
		// done and could not be told stands for ever.
		name: "a put is done and answered with a failure: cancelled with its reason, and purged",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.put = func(do func() (objects.Stored, error)) (objects.Stored, error) {
				if _, err := do(); err != nil {
					t.Error(err)
				}
				return objects.Stored{}, upload.ErrDenied
			}
			_, err := u.Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", ""))
			wantPlain(t, upload.ErrDenied, err)
			w.wantOnly(t, upload.StateCancelled, "not stored", 1)
			w.wantPurged(t)
		},
	},
	{
		// The cleanup intent is in the reservation. Without it nobody would come
		// back for an upload whose writer could not even give it up.
		name: "a put fails and so does the cancel: the put's failure comes first, repaired after the deadline, purged",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.put = func(do func() (objects.Stored, error)) (objects.Stored, error) {
				_, _ = do()
				return objects.Stored{}, upload.ErrDenied
			}
			u.script.beforeWrite = on(upload.KindCancel, func() error { return errLink })
			_, err := u.Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", ""))
			wantPlain(t, upload.ErrDenied, err)
			want(t, errLink, err)
			if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(first, upload.ErrDenied.Error()) {
				t.Errorf("the first line is %q", first)
			}
			w.wantOnly(t, upload.StateReceiving, "", 1)
			w.wantRepaired(t)
		},
	},
	{
		// Only the ledger's word makes an upload. Told of a success here, an
		// application would show what goes in a quarter of an hour.
		name: "the confirmation fails after the put: no success, cancelled with its reason, and purged",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.script.beforeWrite = on(upload.KindComplete, func() error { return errLink })
			done, err := u.Upload(t.Context(), ann(quota), paper("secret"), named("secret.pdf", ""))
			wantPlain(t, errLink, err)
			if done != (intake.Uploaded{}) {
				t.Errorf("told of %+v", done)
			}
			w.wantOnly(t, upload.StateCancelled, "not confirmed", 1)
			w.wantPurged(t)
		},
	},
	{
		// The cancel meets a fence that only this writer's completion can have
		// raised. Without the look at it, the application is told of a failure, and
		// the upload is live for ever.
		name: "the confirmation is done and its answer is lost: the cancel finds it complete, and so it is",
		run: func(t *testing.T, w *world) {
			u := w.uploader(t)
			u.script.afterWrite = on(upload.KindComplete, func() error { return errLink })
			done := u.send(t, "secret")
			if r := w.wantOnly(t, upload.StateComplete, "", 1); r.ID != done.ID {
				t.Errorf("told of %s, it is %s", done.ID, r.ID)
			}
		},
	},
}
