package drain

import (
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/release"
)

// columns are those of row, after its id, in its order.
const columns = `release::text, coalesce(tenant, ''), coalesce(entity, ''), at,
	coalesce(bucket, ''), coalesce(key, ''), coalesce(version_id, ''), coalesce(url, ''), attempts`

// row is a release as the outbox has it.
type row struct {
	ID                          int64
	Release, Tenant, Entity     string
	At                          time.Time
	Bucket, Key, VersionID, URL string
	Attempts                    int
}

// What a message has room for, in bytes: S3's limit of keys, four times that
// for URLs, whose characters are escaped, and the ledger's limit of ids
// (docs/protocol.md).
const (
	maxID      = 128
	maxKey     = 1024
	maxVersion = 1024
	maxURL     = 4 * 1024
)

// message is the release as it is sent, or what of the row cannot be sent: a
// sentence without the row's values.
func (r row) message(source string) (release.Message, error) {
	if err := r.check(); err != nil {
		return release.Message{}, err
	}
	return release.Message{
		Schema: release.Schema, ID: r.Release, Source: source, Tenant: r.Tenant, Entity: r.Entity, At: r.At.UTC(),
		Bucket: r.Bucket, Key: r.Key, VersionID: r.VersionID, URL: r.URL,
	}, nil
}

func (r row) check() error {
	for _, c := range []struct {
		what, value string
		most        int
	}{
		{"tenant", r.Tenant, maxID}, {"entity", r.Entity, maxID}, {"key", r.Key, maxKey},
		{"version", r.VersionID, maxVersion}, {"URL", r.URL, maxURL},
	} {
		if len(c.value) > c.most {
			return fmt.Errorf("its %s has %d bytes: expected up to %d", c.what, len(c.value), c.most)
		}
	}
	switch {
	case r.Tenant == "":
		return errors.New("its tenant is empty: see the tenant that strandline.watch was given")
	case r.URL == "" && (r.Bucket == "" || r.Key == ""):
		return errors.New("its bucket is empty: see the bucket that strandline.watch was given")
	}
	return nil
}
