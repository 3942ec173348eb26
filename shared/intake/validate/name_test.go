package validate_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/intake/validate"
)

// photos takes two types of images, of up to a hundred bytes.
func photos() validate.Rules {
	return validate.Rules{MaxBytes: 100, Types: []validate.Type{validate.JPEG(), validate.PNG()}, NameBytes: 32}
}

func TestNamesAreCleanedForPeople(t *testing.T) {
	for name, c := range map[string]struct{ given, display, extension string }{
		"plain":                           {"cat.jpg", "cat.jpg", ".jpg"},
		"folders of unix":                 {"../../etc/cat.jpg", "cat.jpg", ".jpg"},
		"folders of windows":              {`C:\Users\ann\cat.jpg`, "cat.jpg", ".jpg"},
		"capitals":                        {"CAT.JPEG", "CAT.JPEG", ".jpeg"},
		"line breaks and zeros":           {"a\r\nb\x00c.png", "a bc.png", ".png"},
		"an override that hides the end":  {"invoice\u202egpj.\u202cjpg", "invoicegpj.jpg", ".jpg"},
		"marks of direction, and a BOM":   {"\ufeff\u200fcat\u2066.\u2069png", "cat.png", ".png"},
		"dots and space at both ends":     {"  ..cat.png. . ", "cat.png", ".png"},
		"bytes that are no text":          {"c\xffat.png", "cat.png", ".png"},
		"joined emoji":                    {"👩\u200d🚀.png", "👩\u200d🚀.png", ".png"},
		"other scripts":                   {"猫 и кот.png", "猫 и кот.png", ".png"},
		"too long":                        {strings.Repeat("long ", 20) + ".png", "long long long long long lon.png", ".png"},
		"too long, in the middle of some": {"aaaaaaaaaaaaaaaaaaaaaaaaae\u0301\u0301\u0301b.png", "aaaaaaaaaaaaaaaaaaaaaaaaa.png", ".png"},
	} {
		got, err := photos().Name(c.given)
		if err != nil || got.Display != c.display || got.Extension != c.extension {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestNamesThatCannotBeTakenAreRefused(t *testing.T) {
	for given, reason := range map[string]validate.Reason{
		"":                 validate.NoName,
		"///":              validate.NoName,
		" \u202e\x00. ":    validate.NoName,
		"cat":              validate.NoExtension,
		".png":             validate.NoExtension, // hidden, and of no kind
		"cat.exe":          validate.ExtensionRefused,
		"cat.png.exe":      validate.ExtensionRefused,
		"cat.\u202egnp":    validate.ExtensionRefused,
		"cat.pn\u212a":     validate.ExtensionRefused,
		"cat.png\u0301":    validate.ExtensionRefused,
		"cat.png/../x.exe": validate.ExtensionRefused,
	} {
		_, err := photos().Name(given)
		wantRefused(t, err, validate.FieldName, reason)
	}
}

// Without the comparison of lengths, the Kelvin sign would pass for a k.
func TestLettersThatOnlyBecomeOursAreNotOurs(t *testing.T) {
	rules := validate.Rules{MaxBytes: 1, Types: []validate.Type{{Media: "application/x-key", Extensions: []string{".key"}}}}
	_, err := rules.Name("a.\u212aey")
	wantRefused(t, err, validate.FieldName, validate.ExtensionRefused)
}

// Whatever a client calls a file, what is shown of it is one line of bounded
// length that reads as it is written; and cleaning it again changes nothing.
func TestEveryNameIsHarmlessOrRefused(t *testing.T) {
	letters := rapid.SampledFrom([]rune("ab. /\\\x00\n\u202e\u2066\u200d\u0301\u212a\ufeff猫👩\U000e0001\ue000"))
	rapid.Check(t, func(t *rapid.T) {
		given := string(rapid.SliceOfN(letters, 0, 80).Draw(t, "name")) + rapid.SampledFrom([]string{".png", ".jpg", "", ".exe"}).Draw(t, "end")
		name, err := photos().Name(given)
		if err != nil {
			return
		}
		again, err := photos().Name(name.Display)
		if err != nil || again != name {
			t.Fatalf("%+v becomes %+v, %v", name, again, err)
		}
		if len(name.Display) > 32 || !utf8.ValidString(name.Display) || strings.ContainsAny(name.Display, `/\`) {
			t.Fatalf("shown as %q", name.Display)
		}
		for _, c := range name.Display {
			if unicode.IsControl(c) || unicode.In(c, unicode.Bidi_Control, unicode.Co) {
				t.Fatalf("shown with %U", c)
			}
		}
	})
}
