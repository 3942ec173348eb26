package validate_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/intake/validate"
)

// FuzzName: whatever a client calls its file and begins it with, its name is one
// short line of visible text with an extension that is taken, and is the same when
// it is cleaned again; or it is refused in words that hold nothing of the client's.
func FuzzName(f *testing.F) {
	for _, name := range []string{
		"cat.jpg", "../..\\x.PNG", "a\u202egnp.exe", "\u200d.png", strings.Repeat("é", 40) + ".png", "a.b.c.jpeg ", "\xff\xfe.jpg", "cat.png\u0301", "\u3164.png", "٣.png", "..png",
	} {
		f.Add(name, []byte("\xff\xd8\xff"))
	}
	f.Add("secret.png", []byte("<html><script>"))
	f.Fuzz(func(t *testing.T, given string, head []byte) {
		n, err := photos().Name(given)
		if err != nil {
			wantOwnWords(t, err, given)
			return
		}
		extension := n.Display[max(0, strings.LastIndex(n.Display, ".")):]
		if len(n.Display) > 32 || !utf8.ValidString(n.Display) || strings.ContainsAny(n.Display, "/\\") || !strings.EqualFold(extension, n.Extension) {
			t.Fatalf("%q became %+v", given, n)
		}
		for _, c := range n.Display {
			if unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c) || unicode.Is(unicode.C, c) && c != '\u200c' && c != '\u200d' {
				t.Fatalf("%q became %q, with %U", given, n.Display, c)
			}
		}
		if again, err := photos().Name(n.Display); err != nil || again != n {
			t.Fatalf("%q became %+v, and that %+v, %v", given, n, again, err)
		}
		taken, err := photos().Content(n.Extension, head)
		if err != nil {
			wantOwnWords(t, err, given)
		} else if taken.Media != "image/jpeg" && taken.Media != "image/png" {
			t.Fatalf("%.20q is taken as %s", head, taken.Media)
		}
	})
}

// sentences are what each refusal of a name says, whatever the name.
func sentences(t *testing.T) map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{"", "x", "x.exe"} {
		_, err := photos().Name(name)
		var r *validate.Refusal
		if !errors.As(err, &r) {
			t.Fatal(err)
		}
		all[r.Sentence] = true
	}
	return all
}

func wantOwnWords(t *testing.T, err error, given string) {
	t.Helper()
	var r *validate.Refusal
	if !errors.As(err, &r) || r.Sentence == "" || len(r.Sentence) > 400 || strings.ContainsAny(err.Error()+r.Sentence, "\n\r") {
		t.Fatalf("%q: %#v", given, err)
	}
	if r.Field == validate.FieldName && !sentences(t)[r.Sentence] {
		t.Fatalf("%q is told of in other words than any other: %q", given, r.Sentence)
	}
}
