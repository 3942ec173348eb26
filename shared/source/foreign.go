package source

import (
	"net/url"
	"strings"
)

// End is what follows the last slash of a key or path that has something behind
// it.
func End(key string) string {
	key = strings.TrimRight(key, "/")
	return key[strings.LastIndexByte(key, '/')+1:]
}

// ForeignEnds are the ends of what the row names by URLs of no bucket of the
// source's, as they are written and percent-decoded; nil where it has none. Each
// may be the end of an object's key, if the URL is a name of that object which
// the source was not told of.
func (s Source) ForeignEnds(row Row) map[string]bool {
	if s.Paths.URL == "" {
		return nil
	}
	found, err := places(row, s.Paths.URL)
	if err != nil {
		return nil // Names says so
	}
	var ends map[string]bool
	for _, p := range found {
		text, _ := p.value.(string)
		if _, ours, err := s.ParseURL(text); text == "" || ours || err != nil {
			continue
		}
		if ends == nil {
			ends = map[string]bool{}
		}
		path, _, _ := strings.Cut(text, "?")
		path, _, _ = strings.Cut(path, "#")
		end := End(path)
		ends[end] = true
		if decoded, err := url.PathUnescape(end); err == nil {
			ends[End(decoded)] = true
		}
	}
	return ends
}
