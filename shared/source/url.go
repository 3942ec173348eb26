package source

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// s3Host is every host name under which S3 itself serves a bucket's objects:
// with a bucket before it (virtual-host style) or without (path style), of a
// Region or none, dual-stack, FIPS and accelerated ones too
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html,
// https://docs.aws.amazon.com/general/latest/gr/s3.html). Website endpoints and
// access points serve something else than a key's object.
var s3Host = regexp.MustCompile(`^(?:([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\.)?` +
	`s3(?:-accelerate)?(?:-fips)?(?:\.dualstack)?(?:[.-][a-z]{2}(?:-[a-z]+)+-[0-9]+)?\.amazonaws\.com(?:\.cn)?$`)

// ParseURL reads what a URL names: below one of the source's bases, or in one of
// S3's own forms (s3://bucket/key, virtual-host and path style). ours is false
// for what is of no bucket of the source's. An *Unreadable error: it is of one,
// and could only be guessed at.
//
// Over HTTP a key is percent-decoded exactly once. After s3:// it is literal,
// as the console and the AWS CLI write it. ?versionId= names a version in both.
func (s Source) ParseURL(text string) (o Object, ours bool, err error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return Object{}, false, nil
	}
	scheme = strings.ToLower(scheme)
	if scheme == "s3" {
		return s.parseS3(rest)
	}
	host, path, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host)
	if b, ok := s.base(scheme+"://"+host+"/", path); ok {
		below := path[len(b.path()):]
		o.VersionID, err = decode(&below)
		o.Bucket, o.Key = b.Bucket, b.Prefix+below
		return checked(o, below, err)
	}
	m := s3Host.FindStringSubmatch(host)
	if m == nil || scheme != "https" && scheme != "http" {
		return Object{}, false, nil
	}
	if o.Bucket = m[1]; o.Bucket == "" {
		o.Bucket, path, _ = strings.Cut(path, "/")
	}
	if !s.Takes(o.Bucket) {
		return Object{}, false, nil
	}
	o.VersionID, err = decode(&path)
	o.Key = path
	return checked(o, path, err)
}

// parseS3 reads what follows s3://.
func (s Source) parseS3(rest string) (o Object, ours bool, err error) {
	o.Bucket, o.Key, _ = strings.Cut(rest, "/")
	if !s.Takes(o.Bucket) {
		return Object{}, false, nil
	}
	if i := strings.LastIndex(o.Key, versionQuery); i >= 0 {
		o.Key, o.VersionID = o.Key[:i], o.Key[i+len(versionQuery):]
		if o.VersionID == "" {
			err = unreadable("url", "its versionId is empty")
		}
	}
	return checked(o, o.Key, err)
}

// checked refuses a key that is none.
func checked(o Object, below string, err error) (Object, bool, error) {
	switch {
	case err != nil:
	case !bucketName.MatchString(o.Bucket):
		err = unreadable("url", "it names no bucket, or what none can be called")
	case below == "":
		err = unreadable("url", "it names a bucket and no key")
	case !utf8.ValidString(o.Key), !utf8.ValidString(o.VersionID):
		err = unreadable("url", "its key or versionId is not UTF-8")
	}
	if err != nil {
		return Object{}, true, err
	}
	return o, true, nil
}

// bucketName is what a bucket may be called, old ones too
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html):
// "%75ploads" in a path is none, whoever may decode it.
var bucketName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,255}$`)

const versionQuery = "?versionId="

// decode decodes what follows a bucket's place in a URL over HTTP, once, and
// takes the version from its query. What S3, a browser or a content network
// would each read differently is refused, never guessed at.
func decode(path *string) (version string, err error) {
	encoded, query, _ := strings.Cut(*path, "?")
	switch {
	case strings.Contains(*path, "#"):
		return "", unreadable("url", "it has a fragment: a # of a key is written %%23")
	case strings.HasSuffix(*path, " "), strings.ContainsFunc(*path, reread):
		return "", unreadable("url", "it has a backslash, a control character or a space at its end, which browsers take for something else: percent-encode it")
	case strings.Contains(encoded, "+"):
		return "", unreadable("url", "it has a plus sign, which some read as a space: write %%2B or %%20")
	}
	key, err := url.PathUnescape(encoded)
	if err != nil {
		return "", unreadable("url", "its key is not percent-encoded")
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "." || segment == ".." {
			return "", unreadable("url", "it has a dot segment, which some leave out")
		}
	}
	*path = key
	return versionOf(query)
}

// reread are characters that a browser reads as others, or not at all
// (https://url.spec.whatwg.org/#concept-basic-url-parser).
func reread(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }

// versionOf takes the version from a query; a signature's parameters say
// nothing of the object, and anything else may be part of an unescaped key.
func versionOf(query string) (version string, err error) {
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		switch {
		case query == "", strings.HasPrefix(name, "X-Amz-"):
		case name != "versionId" || version != "":
			return "", unreadable("url", "its query has something else than one versionId: a ? of a key is written %%3F")
		default:
			if version, err = url.PathUnescape(value); err != nil || version == "" {
				return "", unreadable("url", "its versionId is empty, or not percent-encoded")
			}
		}
	}
	return version, nil
}

// Takes reports whether objects of the bucket are the source's business.
func (s Source) Takes(bucket string) bool {
	if s.Bucket == "" && len(s.URLs) == 0 {
		return true
	}
	return s.Bucket == bucket || slices.ContainsFunc(s.URLs, func(b Base) bool { return b.Bucket == bucket })
}

// base finds the longest base that the URL is below; root is its scheme and
// host, in lower case.
func (s Source) base(root, path string) (found Base, ok bool) {
	for _, b := range s.URLs {
		if b.root() == root && strings.HasPrefix(path, b.path()) && (!ok || len(b.path()) > len(found.path())) {
			found, ok = b, true
		}
	}
	return found, ok
}

// root is the base's scheme and host, in lower case, with "/" behind; path is
// what follows.
func (b Base) root() string { return strings.ToLower(strings.TrimSuffix(b.URL, b.path())) }

func (b Base) path() string {
	_, rest, _ := strings.Cut(b.URL, "://")
	_, path, _ := strings.Cut(rest, "/")
	return path
}
