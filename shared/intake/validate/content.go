package validate

import (
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// HeadBytes is how much of the beginning [Rules.Content] looks at: what the
// library that knows the signatures reads by default.
const HeadBytes = 3_072

// Content returns the type of a file with this extension, as [Rules.Name]
// returned it, whose first bytes these are: [HeadBytes] of them, or all there
// are. It refuses what is empty, what is no type of these rules, and what is
// another than the extension says.
func (r Rules) Content(extension string, head []byte) (Type, error) {
	t, ok := r.byExtension(extension)
	switch {
	case !ok:
		return Type{}, r.refuseExtension()
	case len(head) == 0:
		return Type{}, refuse(FieldFile, Empty, "The file is empty: choose one that has content.")
	}
	seen := mimetype.Detect(head)
	if t.shows(seen) {
		return t, nil
	}
	for _, other := range r.Types {
		if seen.Is(other.Media) {
			return Type{}, refuse(FieldFile, ContentDiffers,
				"The file's name says %s, but its content is %s: give it one of the extensions %s, or choose another file.",
				t.Media, other.Media, strings.Join(other.Extensions, ", "))
		}
	}
	if seen.Is("application/octet-stream") {
		return Type{}, refuse(FieldFile, UnknownContent,
			"The file's content is not %s, as its name says, nor anything else that is known: choose another file.", t.Media)
	}
	return Type{}, refuse(FieldFile, ContentRefused,
		"The file's content is %s, which is not taken here: choose a file of the type %s.", plain(seen), r.media())
}

// shows reports whether first bytes that are of the seen type may be of this.
func (t Type) shows(seen *mimetype.MIME) bool {
	if seen.Is(t.Media) {
		return true
	}
	for _, look := range t.Looks {
		if seen.Is(look) {
			return true
		}
	}
	return false
}

// plain is a media type without its parameters.
func plain(m *mimetype.MIME) string {
	media, _, _ := strings.Cut(m.String(), ";")
	return media
}

// media lists the media types that are taken, as a person reads them.
func (r Rules) media() string {
	all := make([]string, 0, len(r.Types))
	for _, t := range r.Types {
		all = append(all, t.Media)
	}
	return strings.Join(all, ", ")
}
