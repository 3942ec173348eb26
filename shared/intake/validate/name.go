package validate

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is what a file is called.
type Name struct {
	// Display is for people: one line without path, control and bidi
	// characters, of a bounded length. Whoever shows it still escapes it.
	Display string
	// Extension is in lower case, with the dot, and one of the rules'.
	Extension string
}

// Name cleans the name that a client gave a file. What is cleaned away is not
// an error; a name of which nothing is left to be seen is, and so is one whose
// extension is not taken.
//
// Cleaned away are folders before the name (of either slash), what is no valid
// UTF-8, control and formatting characters, bidi overrides among them (they let
// "exe.jpg" be read where "gpj.exe" is written), and space and dots at either
// end. The joiners that some scripts and emoji need stay.
func (r Rules) Name(given string) (Name, error) {
	cleaned := clean(given)
	if cleaned == "" {
		return Name{}, r.refuseName()
	}
	extension := path.Ext(cleaned)
	if extension == "" {
		return Name{}, refuse(FieldName, NoExtension, "The file's name has no extension: give it one of %s.", r.extensions())
	}
	lower := strings.ToLower(extension)
	// Outside ASCII letters other than ours have ours as their lower case.
	if _, ok := r.byExtension(lower); !ok || len(lower) != len(extension) {
		return Name{}, r.refuseExtension()
	}
	display := r.fit(cleaned)
	if !strings.ContainsFunc(strings.TrimSuffix(display, extension), seen) {
		return Name{}, r.refuseName()
	}
	return Name{Display: display, Extension: lower}, nil
}

func (r Rules) refuseName() error {
	return refuse(FieldName, NoName, "The file has no name that can be shown: give it one that ends in one of %s.", r.extensions())
}

// seen: letters, digits, signs; not what only changes those, nor dots, nor letters
// that are blank.
func seen(c rune) bool {
	return unicode.In(c, unicode.L, unicode.N, unicode.S, unicode.P) && !strings.ContainsRune(".\u115f\u1160\u3164\uffa0\u2800", c)
}

func (r Rules) refuseExtension() error {
	return refuse(FieldName, ExtensionRefused, "Files with this extension are not taken: choose one that ends in one of %s.", r.extensions())
}

func clean(given string) string {
	given = strings.ToValidUTF8(given, "")
	if i := strings.LastIndexAny(given, `/\`); i >= 0 {
		given = given[i+1:]
	}
	kept := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case joins(c):
			return c
		case unicode.In(c, unicode.C, unicode.Zl, unicode.Zp):
			return -1
		}
		return c
	}, given)
	kept = strings.Join(strings.Fields(kept), " ")
	return strings.Trim(kept, ". ")
}

// joins: without these, words of some scripts fall apart.
func joins(c rune) bool { return c == '\u200c' || c == '\u200d' }

// fit cuts what is too long out of the part before the extension, never inside
// a character, nor between a letter and its marks.
func (r Rules) fit(name string) string {
	longest := r.NameBytes
	if longest == 0 {
		longest = defaultNameBytes
	}
	if len(name) <= longest {
		return name
	}
	extension := path.Ext(name)
	stem := name[:longest-len(extension)]
	for cut := len(stem); cut > 0; cut-- {
		next, _ := utf8.DecodeRuneInString(name[cut:])
		if utf8.RuneStart(name[cut]) && !unicode.In(next, unicode.M) && !joins(next) {
			return strings.TrimRight(stem[:cut], " .\u200c\u200d") + extension
		}
	}
	return strings.ToValidUTF8(stem, "") + extension
}
