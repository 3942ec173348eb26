package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Whatever a body can do, what stands is what it held.
func TestEveryKindOfBodyIsUploadedWhole(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		d := w.desk(w.ledger, w.store)

		large := paper(5<<20 + 7)
		file, err := os.Create(t.TempDir() + "/paper")
		w.must(err)
		defer file.Close()
		_, err = file.Write(append([]byte("before"), paper(5000)...))
		w.must(err)
		_, err = file.Seek(6, io.SeekStart)
		w.must(err)
		for name, c := range map[string]struct {
			body  io.Reader
			bytes []byte
		}{
			"one that seeks":               {bytes.NewReader(paper(3000)), paper(3000)},
			"a file, from where it stands": {file, paper(5000)},
			"a stream":                     {stream{bytes.NewReader(paper(4000))}, paper(4000)},
			"a stream, byte by byte":       {stream{iotest.OneByteReader(bytes.NewReader(paper(4001)))}, paper(4001)},
			"less than a beginning":        {stream{bytes.NewReader(paper(9))}, paper(9)},
			"a large one that seeks":       {bytes.NewReader(large), large},
			"a large stream":               {stream{bytes.NewReader(large[:5<<20+1])}, large[:5<<20+1]},
			"exactly a part":               {bytes.NewReader(large[:5<<20]), large[:5<<20]},
		} {
			owner := intake.Owner{Tenant: w.tenant, ID: owner}
			done, err := d.Upload(w.ctx, owner, c.body, about(""))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if done.Size != int64(len(c.bytes)) || done.SHA256 != fmt.Sprintf("%x", sha(c.bytes)) || done.Type != "application/pdf" || done.Name != "secret.pdf" {
				t.Errorf("%s: told %+v", name, done)
			}
			r := w.load(done.ID)
			if r.State != upload.StateComplete || !r.DueAt.IsZero() || r.Bytes != done.Size || r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}) != done.Key {
				t.Errorf("%s: %+v", name, r)
			}
			if o := r.Manifest.Objects[0]; o.VersionID != done.VersionID || o.Checksum == "" || strings.Contains(done.Key, "secret") {
				t.Errorf("%s: recorded %+v", name, o)
			}
		}
		d.wantNoFile(t)
	})
}

func TestWhatAClientDoesWrongIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store, func(c *intake.Config) { c.Uploads.MaxSpool = 1 << 20 })
	small := bytes.NewReader(paper(100))
	for name, c := range map[string]struct {
		body   io.Reader
		meta   intake.Meta
		field  validate.Field
		reason validate.Reason
	}{
		"an unknown kind":                   {small, intake.Meta{Kind: "film", Name: "secret.pdf"}, validate.FieldKind, validate.UnknownKind},
		"no name":                           {small, intake.Meta{Kind: "paper"}, validate.FieldName, validate.NoName},
		"a program's name":                  {small, intake.Meta{Kind: "paper", Name: "secret.exe"}, validate.FieldName, validate.ExtensionRefused},
		"a program's content":               {strings.NewReader("MZ secret"), about(""), validate.FieldFile, validate.ContentRefused},
		"an empty file":                     {bytes.NewReader(nil), about(""), validate.FieldFile, validate.Empty},
		"an empty stream":                   {stream{bytes.NewReader(nil)}, about(""), validate.FieldFile, validate.Empty},
		"said to be too large":              {neverRead{t}, intake.Meta{Kind: "paper", Name: "secret.pdf", Size: 13 << 20}, validate.FieldSize, validate.TooLarge},
		"too large":                         {bytes.NewReader(make([]byte, 13<<20)), about(""), validate.FieldSize, validate.TooLarge},
		"a stream that cannot be kept":      {stream{bytes.NewReader(paper(2 << 20))}, about(""), validate.FieldSize, validate.TooLarge},
		"a stream that does not end":        {stream{endless{}}, about(""), validate.FieldSize, validate.TooLarge},
		"longer than it said":               {stream{bytes.NewReader(paper(100))}, intake.Meta{Kind: "paper", Name: "secret.pdf", Size: 99}, validate.FieldSize, validate.LongerThanSaid},
		"longer than it said, and it seeks": {small, intake.Meta{Kind: "paper", Name: "secret.pdf", Size: 99}, validate.FieldSize, validate.LongerThanSaid},
		"shorter than it said":              {stream{bytes.NewReader(paper(100))}, intake.Meta{Kind: "paper", Name: "secret.pdf", Size: 101}, validate.FieldSize, validate.ShorterThanSaid},
	} {
		_, err := d.Upload(w.ctx, w.ours(), c.body, c.meta)
		w.want(intake.ErrInvalid, err)
		wantSilent(t, err)
		if why, ok := intake.Explain(err); !ok || why.Field != c.field || why.Reason != c.reason || strings.Contains(why.Sentence, "secret") {
			t.Errorf("%s: %v is explained as %+v", name, err, why)
		}
	}
	_, err := d.Upload(w.ctx, intake.Owner{Tenant: w.tenant}, small, about(""))
	w.wantInvalid(err, "owner id is empty")
	m := about("")
	m.Hold = -1
	_, err = d.Upload(w.ctx, w.ours(), small, m)
	w.wantInvalid(err, "hold is -1ns")
	d.wantNothing(t)
}

// endless begins as a document.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, paper(len(p))), nil }

// A connection that breaks is nobody's mistake, and leaves nothing.
func TestABodyThatBreaksLeavesNothing(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	_, err := d.Upload(w.ctx, w.ours(), io.MultiReader(bytes.NewReader(paper(100_000)), iotest.ErrReader(errBroken)), about(""))
	w.want(errBroken, err)
	if _, ok := intake.Explain(err); ok || errors.Is(err, intake.ErrInvalid) {
		t.Errorf("%v is the client's", err)
	}
	d.wantNothing(t)

	// Without the look at the context, a caller who has gone is read for.
	ctx, leave := context.WithCancel(w.ctx)
	leave()
	_, err = d.Upload(ctx, w.ours(), neverRead{t}, about(""))
	w.want(context.Canceled, err)
	d.wantNothing(t)

	d = w.desk(w.ledger, w.store, func(c *intake.Config) { c.Uploads.Spool += "/absent" })
	_, err = d.Upload(w.ctx, w.ours(), stream{bytes.NewReader(paper(100))}, about(""))
	if err == nil || strings.Contains(err.Error(), "absent") {
		t.Errorf("without a folder: %v", err)
	}
}

// The put shows the digest that was judged. Without it, what stands is not what
// was validated, scanned and hashed.
func TestABodyThatChangesBetweenItsTwoReadingsIsNotPublished(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		for _, size := range []int{5000, 6 << 20} {
			d := w.desk(w.ledger, w.store)
			body := &changing{Reader: bytes.NewReader(paper(size))}
			m := about("")
			m.AllowDuplicate = true
			if _, err := d.Upload(w.ctx, w.ours(), body, m); err == nil {
				t.Fatalf("%d bytes: published", size)
			}
			all := w.written()
			if r := all[len(all)-1]; r.State != upload.StateCancelled || r.Reason != "not stored" {
				t.Errorf("%d bytes: %s, %s", size, r.State, r.Reason)
			}
		}
	})
}

// changing shows other bytes once it was read to its end.
type changing struct {
	*bytes.Reader
	read atomic.Int64
}

func (c *changing) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	if c.read.Add(int64(n)) > c.Size() && n > 0 {
		p[n-1] ^= 1
	}
	return n, err
}

type scan func(context.Context, validate.Content) error

func (s scan) Scan(ctx context.Context, c validate.Content) error { return s(ctx, c) }

// Nothing is put before the scanner has seen it. Without that, what it refuses
// stands until it is purged, and a URL that somebody guessed shows it.
func TestAScannerCanOnlyRefuse(t *testing.T) {
	broken := errors.New("no signatures")
	for name, c := range map[string]struct {
		says  error
		kind  error
		field validate.Field
	}{
		"it has nothing against it": {},
		"it refuses":                {validate.Refused("The file holds a virus: do not open it."), intake.ErrInvalid, validate.FieldFile},
		"it does not work":          {broken, broken, ""},
	} {
		w := newWorld(t)

		d := w.desk(w.ledger, w.store, func(conf *intake.Config) {
			conf.Uploads.Scanner = scan(func(ctx context.Context, seen validate.Content) error {
				all, err := io.ReadAll(seen.Body)
				w.must(err)
				if _, ends := ctx.Deadline(); !ends || !bytes.Equal(all, paper(5000)) || seen.Size != 5000 || !bytes.Equal(seen.SHA256, sha(all)) {
					t.Errorf("%s: it sees %d bytes, %+v", name, len(all), seen)
				}
				w.pass(14 * time.Minute)
				if len(w.standing(w.written()[0].ID)) != 0 {
					t.Errorf("%s: it stands already", name)
				}
				return c.says
			})
		})
		_, err := d.send(5000, "order-17")
		if c.says == nil {
			w.must(err)
			continue
		}
		w.want(c.kind, err)
		w.wantGivenUp("not scanned")
		why, told := intake.Explain(err)
		if told != (c.field != "") || why.Field != c.field {
			t.Errorf("%s: explained as %+v", name, why)
		}
		// Its key stands for the refusal.
		_, err = d.send(5000, "order-17")
		w.want(intake.ErrGivenUp, err)
	}
}

// A large upload renews its lease before each part. Without that, a repetition
// takes its fence while it works.
func TestALargeUploadIsNotTakenOverWhileItWorks(t *testing.T) {
	w := newWorld(t)

	large := func(c *intake.Config) {
		c.Uploads.Limits = validate.Limits{Kinds: map[string]validate.Rules{"paper": {MaxBytes: 64 << 20, Types: []validate.Type{validate.PDF()}}}}
	}
	other := w.desk(w.ledger, w.store, large)
	var begun atomic.Int64
	working := parts{w.store, func(objects.Part) error {
		w.pass(3 * time.Minute) // six of them are longer than a lease
		if begun.Add(1) == 6 {
			_, err := other.send(26<<20, "order-17")
			w.want(intake.ErrInProgress, err)
		}
		return nil
	}}
	done, err := w.desk(w.ledger, working, large).send(26<<20, "order-17")
	w.must(err)
	if r := w.load(done.ID); r.State != upload.StateComplete || r.Fence != 2 {
		t.Errorf("%s, fence %d", r.State, r.Fence)
	}
}

// Without the look at the deadline before each part, one lands after the purge.
func TestALargeUploadThatIsTooSlowEndsByItsDeadline(t *testing.T) {
	w := newWorld(t)

	slow := parts{w.store, func(p objects.Part) error {
		if p.Number > 1 {
			return nil // all three are on their way at once
		}
		w.pass(w.policy.UploadDeadline)
		return nil
	}}
	_, err := w.desk(w.ledger, slow).send(11<<20, "")
	w.want(intake.ErrDeadline, err)
	w.wantGivenUp("not stored")
}

func TestAPartThatFailsGivesTheUploadUp(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		failing := parts{w.store, func(p objects.Part) error {
			if p.Number == 2 {
				return upload.ErrDenied
			}
			return nil
		}}
		_, err := w.desk(w.ledger, failing).send(11<<20, "")
		w.want(upload.ErrDenied, err)
		wantSilent(t, err)
		w.wantGivenUp("not stored")
	})
}

// What is wrong with a service's configuration is said when it is made.
func TestWrongUploadsAreOneClearLine(t *testing.T) {
	w := newWorld(t)
	for says, edit := range map[string]func(*intake.Uploads){
		"no kind of upload has rules": func(u *intake.Uploads) { u.Limits = validate.Limits{} },
		"lease is 16m0s":              func(u *intake.Uploads) { u.Lease = 16 * time.Minute },
		"PartBytes is 1000":           func(u *intake.Uploads) { u.PartBytes = 1000 },
		"MaxSpool is -1":              func(u *intake.Uploads) { u.MaxSpool = -1 },
		"more than 10000 parts": func(u *intake.Uploads) {
			u.Limits.Tenants = map[string]map[string]validate.Rules{"t": {"k": {MaxBytes: 1 << 40, Types: []validate.Type{validate.PDF()}}}}
		},
	} {
		u := intake.Uploads{Bucket: "b", Limits: validate.Limits{Kinds: map[string]validate.Rules{"k": {MaxBytes: 1, Types: []validate.Type{validate.PDF()}}}}}
		edit(&u)
		_, err := intake.New(intake.Config{Records: w.ledger, Lookups: w.ledger, Objects: w.store, Policy: w.policy, Now: w.now, Uploads: u})
		if err == nil || !strings.HasPrefix(err.Error(), "intake: uploads: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	_, err := w.service().Upload(w.ctx, w.ours(), neverRead{t}, about(""))
	w.wantInvalid(err, "made without Uploads")
}
