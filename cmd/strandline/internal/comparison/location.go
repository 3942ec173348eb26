package comparison

import (
	"fmt"
	"path/filepath"
	"strings"
)

// location is where a file is: a path, or a key of a bucket.
type location struct {
	bucket, key string
	path        string
}

// remote reports whether AWS has to be asked for it.
func (l location) remote() bool { return l.bucket != "" }

// locate reads what the user named with a flag.
func locate(flag, text string) (location, error) {
	rest, remote := strings.CutPrefix(text, "s3://")
	if !remote {
		if strings.Contains(text, "://") {
			return location{}, fmt.Errorf("%s is %q: expected a path or s3://bucket/key", flag, text)
		}
		return location{path: filepath.Clean(text)}, nil
	}
	bucket, key, _ := strings.Cut(rest, "/")
	if bucket == "" || key == "" || strings.HasSuffix(key, "/") {
		return location{}, fmt.Errorf("%s is %q: expected s3://bucket/key", flag, text)
	}
	return location{bucket: bucket, key: key}, nil
}
