package release

import (
	"slices"

	"github.com/strandline-dev/strandline/shared/source"
)

// errElsewhere: the row may name the object by a URL that is nobody's here.
var errElsewhere = &source.Unreadable{
	Where: "url", Why: "the row names a URL of no bucket of the source's that ends as the object's key does: " +
		"if it is the same object, its beginning is missing among the source's urls",
}

// released is what the one names and the other does not, each once. A key
// without a version may be any of its versions: it is still named then.
func released(before, still []source.Named) (all []source.Named) {
	type place struct{ bucket, key string }
	now := map[place][]source.Named{}
	for _, n := range still {
		at := place{n.Bucket, n.Key}
		now[at] = append(now[at], n)
	}
	seen := map[source.Object]bool{}
	for _, n := range before {
		named := seen[n.Object] || slices.ContainsFunc(now[place{n.Bucket, n.Key}], func(other source.Named) bool {
			return other.Covers(n.Object)
		})
		if !named {
			all = append(all, n)
		}
		seen[n.Object] = true
	}
	return all
}

// elsewhere refuses a change after which the row may name what it named by a
// URL that cannot be read: whoever puts a content network before a bucket writes
// all rows anew, and every one of them would seem to give its object up.
func elsewhere(s source.Source, list []source.Named, row source.Row) error {
	ends := s.ForeignEnds(row)
	if len(ends) > 0 && slices.ContainsFunc(list, func(n source.Named) bool { return ends[source.End(n.Key)] }) {
		return errElsewhere
	}
	return nil
}
