package source

import (
	"slices"
	"strings"
)

// Spellings lists the values under which the source's index may have a row that
// names the object, the canonical ones only, each once; nil without an index.
// For an index of keys it is the key. For one of URLs: below each of the bases,
// s3://, and S3's two forms without a Region, each with and without ?versionId=;
// over HTTP with every byte escaped that RFC 3986 does not leave unreserved, as
// the AWS SDKs do, and with none escaped that may stand in a path, as browsers
// and Go do.
//
// A URL of a Region's own host is among them once it is one of the bases.
func (s Source) Spellings(o Object) []string {
	if s.Index == nil {
		return nil
	}
	if s.Index.Holds == HoldsKey {
		return []string{o.Key}
	}
	plain := []string{"s3://" + o.Bucket + "/" + o.Key}
	below := func(begin, key string) {
		plain = append(plain, begin+escape(key, ""), begin+escape(key, inPath))
	}
	for _, b := range s.URLs {
		if rest, ok := strings.CutPrefix(o.Key, b.Prefix); ok && b.Bucket == o.Bucket {
			below(b.URL, rest)
		}
	}
	below("https://"+o.Bucket+".s3.amazonaws.com/", o.Key)
	below("https://s3.amazonaws.com/"+o.Bucket+"/", o.Key)
	all := plain
	if o.VersionID != "" {
		for _, text := range plain {
			all = append(all, text+versionQuery+o.VersionID)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool {
		means, ours, err := s.ParseURL(text)
		return err == nil && ours && !means.Covers(o) // below a longer base it is another's
	})
}

// Findable reports whether the source's index finds a row that spells its
// object so. False means that another row which spells it so is not found
// either, and that nothing would protect the object.
func (s Source) Findable(n Named) bool {
	if s.Index == nil || s.Index.Holds != HoldsURL || s.Index.Attribute != s.Paths.URL {
		return true
	}
	return slices.Contains(s.Spellings(n.Object), n.Spelled)
}

// inPath are the bytes beside the unreserved ones that may stand in a path as
// they are (https://www.rfc-editor.org/rfc/rfc3986#section-3.3), but for the
// plus sign, which is never written.
const inPath = "!$&'()*,;=:@"

// escape percent-encodes every byte that is not unreserved, a slash, or kept.
func escape(key, kept string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(key) {
		c := key[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-_.~/", c) >= 0, strings.IndexByte(kept, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
