package validate_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/strandline-dev/strandline/shared/intake/validate"
)

func TestTheRulesOfATenantStandBeforeThoseOfAll(t *testing.T) {
	limits := validate.Limits{
		Kinds:   map[string]validate.Rules{"photo": {MaxBytes: 1}, "film": {MaxBytes: 2}},
		Tenants: map[string]map[string]validate.Rules{"acme": {"photo": {MaxBytes: 3}, "plan": {MaxBytes: 4}}},
	}
	for _, c := range []struct {
		tenant, kind string
		bytes        int64
	}{{"acme", "photo", 3}, {"acme", "film", 2}, {"acme", "plan", 4}, {"zeta", "photo", 1}} {
		if r, err := limits.For(c.tenant, c.kind); err != nil || r.MaxBytes != c.bytes {
			t.Errorf("%s, %s: got %+v, %v", c.tenant, c.kind, r, err)
		}
	}
	_, err := limits.For("zeta", "plan") // another tenant's
	wantRefused(t, err, validate.FieldKind, validate.UnknownKind)
}

func TestWrongRulesAreOneClearLine(t *testing.T) {
	for says, r := range map[string]validate.Rules{
		"MaxBytes is 0":               {Types: []validate.Type{validate.PNG()}},
		"no type of content is taken": {MaxBytes: 1},
		"NameBytes is 5":              {MaxBytes: 1, Types: []validate.Type{validate.PNG()}, NameBytes: 5},
		`".png" is of two types`:      {MaxBytes: 1, Types: []validate.Type{validate.PNG(), validate.PNG()}},
		"has no extension":            {MaxBytes: 1, Types: []validate.Type{{Media: "image/png"}}},
		`"PNG" is not a media type`:   {MaxBytes: 1, Types: []validate.Type{{Media: "PNG", Extensions: []string{".png"}}}},
		"without parameters":          {MaxBytes: 1, Types: []validate.Type{{Media: "text/plain; charset=utf-8", Extensions: []string{".txt"}}}},
		`extension "png"`:             {MaxBytes: 1, Types: []validate.Type{{Media: "image/png", Extensions: []string{"png"}}}},
		`extension ".PNG"`:            {MaxBytes: 1, Types: []validate.Type{{Media: "image/png", Extensions: []string{".PNG"}}}},
		`extension ".tar.gz"`:         {MaxBytes: 1, Types: []validate.Type{{Media: "application/gzip", Extensions: []string{".tar.gz"}}}},
	} {
		for _, limits := range []validate.Limits{
			{Kinds: map[string]validate.Rules{"k": r}},
			{Tenants: map[string]map[string]validate.Rules{"t": {"k": r}}},
		} {
			if err := limits.Check(); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, says)
			}
		}
	}
	if err := (validate.Limits{}).Check(); err == nil {
		t.Error("no rules at all are taken for rules")
	}
}

func TestBytesAreCountedWhileTheyPass(t *testing.T) {
	for name, c := range map[string]struct {
		sent   int
		said   int64
		reason validate.Reason
		field  validate.Field
	}{
		"all that may come":          {100, 0, "", ""},
		"what was said":              {60, 60, "", ""},
		"one byte too many":          {101, 0, validate.TooLarge, validate.FieldSize},
		"far too many":               {100_000, 0, validate.TooLarge, validate.FieldSize},
		"too many, and said so few":  {100_000, 10, validate.LongerThanSaid, validate.FieldSize},
		"one more than was said":     {61, 60, validate.LongerThanSaid, validate.FieldSize},
		"less than was said":         {59, 60, validate.ShorterThanSaid, validate.FieldSize},
		"nothing, where so much was": {0, 60, validate.Empty, validate.FieldFile},
		"nothing":                    {0, -1, validate.Empty, validate.FieldFile},
	} {
		from := &counted{Reader: strings.NewReader(strings.Repeat("x", c.sent))}
		got, err := io.Copy(io.Discard, photos().Meter(from, c.said))
		most := int64(100)
		if c.said > 0 {
			most = min(most, c.said)
		}
		if from.read > most+1 || got > most+1 {
			t.Errorf("%s: %d were read, %d passed", name, from.read, got)
		}
		if c.reason == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		wantRefused(t, err, c.field, c.reason)
	}
	wantRefused(t, photos().Size(101), validate.FieldSize, validate.TooLarge)
	if err := photos().Size(100); err != nil {
		t.Error(err)
	}
}

// A connection that breaks is nobody's mistake. Taken for the end of the file,
// half a file would be one.
func TestAReaderThatBreaksIsNoRefusal(t *testing.T) {
	broken := errors.New("connection reset by peer")
	for _, said := range []int64{0, 50} {
		_, err := io.Copy(io.Discard, photos().Meter(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), said))
		var r *validate.Refusal
		if !errors.Is(err, broken) || errors.As(err, &r) {
			t.Errorf("got %v", err)
		}
	}
}

type counted struct {
	io.Reader
	read int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}
