package upload

import (
	"net/url"
	"strconv"
	"strings"
)

// Folder is the prefix below which every generated key of the upload lies,
// ending in "/": <prefix>/<tenant>/<upload>/. Ids are escaped, so two different
// ids never make one folder. A user's file name never takes part.
func (r Record) Folder() string {
	folder := escapeKey(r.Tenant) + "/" + escapeKey(r.Upload) + "/"
	if r.Prefix == "" {
		return folder
	}
	return strings.TrimSuffix(r.Prefix, "/") + "/" + folder
}

// ObjectKey is the S3 key of a generated key: <folder><attempt>/<sequence>.
func (r Record) ObjectKey(k Key) string {
	return r.Folder() + strconv.FormatInt(k.Attempt, 10) + "/" + strconv.Itoa(k.Seq)
}

// parseKey is the inverse of [Record.ObjectKey]: the declared key that an S3
// key equals, byte for byte.
func (r Record) parseKey(s3key string) (Key, bool) {
	rest, ok := strings.CutPrefix(s3key, r.Folder())
	if !ok {
		return Key{}, false
	}
	number, seq, ok := strings.Cut(rest, "/")
	if !ok {
		return Key{}, false
	}
	attempt, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Key{}, false
	}
	n, err := strconv.Atoi(seq)
	if err != nil {
		return Key{}, false
	}
	k := Key{Attempt: attempt, Seq: n}
	return k, r.ObjectKey(k) == s3key && r.Manifest.declares(k)
}

// escapeKey percent-encodes every byte of an id but letters, digits, "-" and
// "_", and "." where it is not the first.
func escapeKey(id string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// ParseObjectKey reads what a generated key says of itself, wherever its prefix
// ends: whose it is, and which of its keys. It says nothing about whether there
// is such an upload, or whether it declared the key: see [Record.Declares].
func ParseObjectKey(s3key string) (ID, Key, bool) {
	parts := strings.Split(s3key, "/")
	if len(parts) < 4 {
		return ID{}, Key{}, false
	}
	tenant, okTenant := unescapeKey(parts[len(parts)-4])
	upload, okUpload := unescapeKey(parts[len(parts)-3])
	attempt, err := strconv.ParseInt(parts[len(parts)-2], 10, 64)
	if err != nil || !okTenant || !okUpload {
		return ID{}, Key{}, false
	}
	seq, err := strconv.Atoi(parts[len(parts)-1])
	id := ID{Tenant: tenant, Upload: upload}
	return id, Key{Attempt: attempt, Seq: seq}, err == nil && id.Validate() == nil
}

// Declares reports whether the S3 key is, byte for byte, the declared key k.
func (r Record) Declares(s3key string, k Key) bool {
	parsed, ok := r.parseKey(s3key)
	return ok && parsed == k
}

// unescapeKey is the inverse of escapeKey; false for what that never writes.
func unescapeKey(escaped string) (string, bool) {
	id, err := url.PathUnescape(escaped)
	return id, err == nil && escapeKey(id) == escaped
}
