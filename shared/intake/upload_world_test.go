package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// desk is a process of an application that takes files, over stores that a test
// may have scripted.
type desk struct {
	*intake.Service
	w     *world
	spool string
}

type anyLedger interface {
	intake.Records
	intake.Lookups
}

// desk takes papers: PDF documents of up to 12 MiB, in parts of 5.
func (w *world) desk(l anyLedger, o intake.Objects, changes ...func(*intake.Config)) desk {
	w.t.Helper()
	d := desk{w: w, spool: w.t.TempDir()}
	c := intake.Config{
		Records: l, Lookups: l, Objects: o, Policy: w.policy, Now: w.now, NewID: w.newID,
		Uploads: intake.Uploads{
			Bucket: w.bucket, Prefix: "in", Spool: d.spool, PartBytes: objects.MinPartBytes,
			Limits: validate.Limits{Kinds: map[string]validate.Rules{
				"paper": {MaxBytes: 12 << 20, Types: []validate.Type{validate.PDF()}},
				"note":  {MaxBytes: 1 << 20, Types: []validate.Type{validate.PDF()}},
			}},
		},
	}
	for _, change := range changes {
		change(&c)
	}
	var err error
	d.Service, err = intake.New(c)
	w.must(err)
	return d
}

// ours is the owner of these tests.
func (w *world) ours() intake.Owner { return intake.Owner{Tenant: w.tenant, ID: owner, QuotaLimit: 5} }

func about(key string) intake.Meta {
	return intake.Meta{Kind: "paper", Name: "secret.pdf", IdempotencyKey: key}
}

// paper is a document of so many bytes.
func paper(size int) []byte {
	return append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("secret "), size/7+1)...)[:size]
}

// send uploads a document of so many bytes.
func (d desk) send(size int, key string) (intake.Uploaded, error) {
	return d.Upload(d.w.ctx, d.w.ours(), bytes.NewReader(paper(size)), about(key))
}

// stream hides that a reader can seek.
type stream struct{ io.Reader }

// written lists the uploads that were written.
func (w *world) written() []upload.Record {
	w.t.Helper()
	w.mu.Lock()
	ids := append([]upload.ID(nil), w.ids...)
	w.mu.Unlock()
	var all []upload.Record
	for _, id := range ids {
		if r := w.load(id); r.State != upload.StateNone {
			all = append(all, r)
		}
	}
	return all
}

// wantGivenUp expects one upload, given up for this reason.
func (w *world) wantGivenUp(reason string) {
	w.t.Helper()
	all := w.written()
	if len(all) != 1 || all[0].State != upload.StateCancelled || all[0].Reason != reason {
		w.t.Fatalf("written: %+v, want one that was given up: %s", all, reason)
	}
	w.wantQuota(0)
}

// wantNothing expects that nothing was reserved, and that no file is left.
func (d desk) wantNothing(t *testing.T) {
	t.Helper()
	if all := d.w.written(); len(all) != 0 {
		t.Errorf("%d uploads were written", len(all))
	}
	d.wantNoFile(t)
}

func (d desk) wantNoFile(t *testing.T) {
	t.Helper()
	files, err := os.ReadDir(d.spool)
	if err != nil || len(files) != 0 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
}

// wantSilent expects that an error tells no name, key or content.
func wantSilent(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "in/")) {
		t.Errorf("told: %v", err)
	}
}

// parts is a store that does something before each part.
type parts struct {
	theStore
	before func(objects.Part) error
}

func (p parts) UploadPart(ctx context.Context, bucket, key, id string, part objects.Part, body io.Reader) (objects.Part, error) {
	if err := p.before(part); err != nil {
		return objects.Part{}, err
	}
	return p.theStore.UploadPart(ctx, bucket, key, id, part, body)
}

func sha(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

func fresh(size int) io.Reader { return bytes.NewReader(paper(size)) }
