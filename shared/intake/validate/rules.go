package validate

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"regexp"
	"slices"
	"strings"
)

// Type is one type of content that is taken.
type Type struct {
	// Media is its media type, without parameters: "image/jpeg". It is what the
	// object is stored as, and what the first bytes have to show.
	Media string
	// Extensions are those of its files, in lower case, with the dot.
	Extensions []string
	// Looks are other media types that its first bytes may show: a CSV of one
	// column shows text/plain.
	Looks []string
}

// Rules are what an upload of one kind may be.
type Rules struct {
	// MaxBytes is the largest size that is taken.
	MaxBytes int64
	// Types are what is taken; anything else is not.
	Types []Type
	// NameBytes is how long the cleaned name may be, in bytes of UTF-8: what is
	// longer is cut. Zero: 255.
	NameBytes int
}

// Limits are the rules of each kind of upload, by its name; Tenants has what a
// tenant has instead of them, by tenant and kind.
type Limits struct {
	Kinds   map[string]Rules
	Tenants map[string]map[string]Rules
}

// defaultNameBytes is what file systems take of one name.
const defaultNameBytes = 255

// minNameBytes leaves room for a letter and a long extension.
const minNameBytes = 32

// For returns the rules for a tenant's upload of this kind.
func (l Limits) For(tenant, kind string) (Rules, error) {
	r, ok := l.Tenants[tenant][kind]
	if !ok {
		r, ok = l.Kinds[kind]
	}
	if !ok {
		return Rules{}, refuse(FieldKind, UnknownKind, "This kind of upload does not exist here: choose one of those that are offered.")
	}
	return r, nil
}

// Largest is the most bytes that any of the rules takes.
func (l Limits) Largest() int64 {
	most := int64(0)
	for _, r := range l.Kinds {
		most = max(most, r.MaxBytes)
	}
	for _, kinds := range l.Tenants {
		for _, r := range kinds {
			most = max(most, r.MaxBytes)
		}
	}
	return most
}

// Check says in one line what of the limits is missing or contradicts itself.
func (l Limits) Check() error {
	if len(l.Kinds)+len(l.Tenants) == 0 {
		return errors.New("no kind of upload has rules")
	}
	for _, kind := range slices.Sorted(maps.Keys(l.Kinds)) {
		if err := l.Kinds[kind].check(); err != nil {
			return fmt.Errorf("kind %q: %w", kind, err)
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(l.Tenants)) {
		for _, kind := range slices.Sorted(maps.Keys(l.Tenants[tenant])) {
			if err := l.Tenants[tenant][kind].check(); err != nil {
				return fmt.Errorf("tenant %q, kind %q: %w", tenant, kind, err)
			}
		}
	}
	return nil
}

func (r Rules) check() error {
	switch {
	case r.MaxBytes < 1:
		return fmt.Errorf("MaxBytes is %d: it must be positive", r.MaxBytes)
	case len(r.Types) == 0:
		return errors.New("no type of content is taken")
	case r.NameBytes != 0 && r.NameBytes < minNameBytes:
		return fmt.Errorf("NameBytes is %d: it must be at least %d", r.NameBytes, minNameBytes)
	}
	taken := map[string]bool{}
	for _, t := range r.Types {
		if err := t.check(); err != nil {
			return err
		}
		for _, e := range t.Extensions {
			if taken[e] {
				return fmt.Errorf("extension %q is of two types", e)
			}
			taken[e] = true
		}
	}
	return nil
}

func (t Type) check() error {
	for _, media := range append([]string{t.Media}, t.Looks...) {
		plain, parameters, err := mime.ParseMediaType(media)
		if err != nil || plain != media || len(parameters) > 0 || !strings.Contains(media, "/") {
			return fmt.Errorf("%q is not a media type in lower case without parameters", media)
		}
	}
	if len(t.Extensions) == 0 {
		return fmt.Errorf("type %s has no extension", t.Media)
	}
	for _, e := range t.Extensions {
		if !shortExtension.MatchString(e) {
			return fmt.Errorf("extension %q of type %s is not a dot and 1 to 15 lower-case letters or digits", e, t.Media)
		}
	}
	return nil
}

var shortExtension = regexp.MustCompile(`^\.[a-z0-9]{1,15}$`)

// byExtension returns the type whose files have this extension.
func (r Rules) byExtension(extension string) (Type, bool) {
	for _, t := range r.Types {
		if slices.Contains(t.Extensions, extension) {
			return t, true
		}
	}
	return Type{}, false
}

// extensions lists those that are taken, as a person reads them.
func (r Rules) extensions() string {
	var all []string
	for _, t := range r.Types {
		all = append(all, t.Extensions...)
	}
	return strings.Join(all, ", ")
}
