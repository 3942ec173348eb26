package intake_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
)

// Bodies that lie. Each is a failure, and nothing is written for any.

// short says by Seek that it is longer than ReadAt shows.
type short struct {
	*bytes.Reader
	more int64
}

func (s short) Seek(off int64, whence int) (int64, error) {
	at, err := s.Reader.Seek(off, whence)
	if whence == io.SeekEnd {
		at += s.more
	}
	return at, err
}

// faltering fails once, with what it has read, and says after that that it ends.
type faltering struct {
	body   io.Reader
	failed bool
}

func (f *faltering) Read(p []byte) (int, error) {
	if f.failed {
		return 0, io.EOF
	}
	f.failed = true
	n, _ := f.body.Read(p)
	return n, errBroken
}

// idle never has anything to say.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// Without the comparison, half a file is published as a whole one.
func TestABodyThatIsShorterThanItsOwnLengthIsNotTaken(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	m := about("")
	for _, said := range []int64{0, 5000} {
		m.Size = said
		_, err := d.Upload(w.ctx, w.ours(), short{bytes.NewReader(paper(4000)), 1000}, m)
		w.want(io.ErrUnexpectedEOF, err)
		if _, theirs := intake.Explain(err); theirs {
			t.Errorf("%v is the client's", err)
		}
	}
	d.wantNothing(t)
}

// The first 3,072 bytes are read at once: an error that comes with the last of
// them must not be lost, or what has come until then is taken for all.
func TestABodyThatFailsOnceHasFailed(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	for _, size := range []int{100, validate.HeadBytes, 5000} {
		_, err := d.Upload(w.ctx, w.ours(), &faltering{body: bytes.NewReader(paper(size))}, about(""))
		w.want(errBroken, err)
	}
	d.wantNothing(t)
}

// Without it, one such body keeps a processor busy for good.
func TestABodyThatNeverSaysAnythingHasFailed(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	for _, body := range []io.Reader{idle{}, io.MultiReader(bytes.NewReader(paper(5000)), idle{})} {
		_, err := d.Upload(w.ctx, w.ours(), body, about(""))
		w.want(io.ErrNoProgress, err)
	}
	d.wantNothing(t)
}

func TestNoBodyIsAnInvalidRequest(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	_, err := d.Upload(w.ctx, w.ours(), nil, about(""))
	w.wantInvalid(err, "no body")
	d.wantNothing(t)
}

// What a scanner is shown is what is put. Without the comparison, a body that
// shows it something else is published with what it has not seen.
func TestAScannerIsShownWhatIsPut(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store, func(c *intake.Config) {
		c.Uploads.Scanner = scan(func(_ context.Context, seen validate.Content) error {
			_, err := io.Copy(io.Discard, seen.Body)
			return err
		})
	})
	_, err := d.Upload(w.ctx, w.ours(), &secondTime{Reader: bytes.NewReader(paper(5000))}, about(""))
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("got %v", err)
	}
	w.wantGivenUp("not scanned")
}

// secondTime shows other bytes to its second reader only.
type secondTime struct {
	*bytes.Reader
	begun int
}

func (s *secondTime) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.Reader.ReadAt(p, off)
	if off == 0 {
		s.begun++
	}
	if s.begun == 2 && n > 0 {
		p[n-1] ^= 1
	}
	return n, err
}

// A client's own header is a client's mistake, and said in a sentence.
func TestAnIdempotencyKeyThatCannotBeOneIsExplained(t *testing.T) {
	w := newWorld(t)
	d := w.desk(w.ledger, w.store)
	for _, key := range []string{strings.Repeat("secret", 30), "secret\n", "secret\xff"} {
		_, err := d.Upload(w.ctx, w.ours(), neverRead{t}, about(key))
		w.want(intake.ErrInvalid, err)
		wantSilent(t, err)
		why, ok := intake.Explain(err)
		if !ok || why.Field != validate.FieldIdempotencyKey || why.Reason != validate.KeyInvalid || strings.Contains(why.Sentence, "secret") {
			t.Errorf("%v is explained as %+v", err, why)
		}
	}
	d.wantNothing(t)
}

// Keys and contents of others are nobody's business: the same key under another
// owner or tenant is another key, also where names are made to run together.
func TestKeysAndContentsOfOthersAreNotKnown(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.quiet = true // many owners have one content
		d := w.desk(w.ledger, w.store)
		seen := map[string]bool{}
		for _, o := range []intake.Owner{
			{Tenant: w.tenant, ID: "ann"}, {Tenant: w.tenant, ID: "bob"}, {Tenant: w.tenant + "#ann", ID: "x"},
			{Tenant: w.tenant, ID: "ann#x"}, {Tenant: w.tenant + "/ann", ID: "x"}, {Tenant: w.tenant, ID: "ann/x"}, {Tenant: w.tenant + "%23ann", ID: "x"},
		} {
			done, err := d.Upload(w.ctx, o, bytes.NewReader(paper(500)), about("order-17"))
			w.must(err)
			if done.Repeated || seen[done.Key] {
				t.Errorf("%+v is answered with somebody else's: %+v", o, done)
			}
			seen[done.Key] = true
		}
	})
}
