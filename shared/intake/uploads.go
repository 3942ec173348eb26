package intake

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Uploads is what [Service.Upload] takes, and where it puts it. Bucket and
// Limits are required.
type Uploads struct {
	// Bucket and Prefix are where the generated keys go.
	Bucket string
	Prefix string
	// Limits are what may be uploaded, by tenant and kind.
	Limits validate.Limits
	// Scanner looks at each content before it is put; nil for none.
	Scanner validate.Scanner
	// Lease is for how long a process that died keeps a repetition of its
	// request waiting; a process that lives renews it before each step. The
	// policy's ClientTimeout by default, or its MaxLease if that is less. With
	// less, a repetition may take over from a process that is only slow: the
	// slow one fails then, and nothing else comes of it.
	Lease time.Duration
	// Spool is the folder where a body that cannot seek waits to be put, in a
	// file without a name; the machine's own by default. MaxSpool is the most
	// bytes that one such body may have; 5 GiB by default.
	Spool    string
	MaxSpool int64
	// PartBytes is how large the parts are in which anything larger is put:
	// 64 MiB by default. Each part has to end within ClientTimeout.
	PartBytes int64
}

const (
	defaultPartBytes = 64 << 20
	defaultMaxSpool  = 5 << 30
)

// settled fills in the defaults, or says in one line what is wrong.
func (u Uploads) settled(p policy.Policy) (Uploads, error) {
	if u.Bucket == "" {
		return Uploads{}, nil
	}
	u.Lease = cmp.Or(u.Lease, min(p.ClientTimeout, p.MaxLease))
	u.PartBytes = cmp.Or(u.PartBytes, defaultPartBytes)
	u.MaxSpool = cmp.Or(u.MaxSpool, defaultMaxSpool)
	u.Spool = cmp.Or(u.Spool, os.TempDir())
	if err := u.check(p); err != nil {
		return Uploads{}, err
	}
	return u, u.Limits.Check()
}

func (u Uploads) check(p policy.Policy) error {
	switch {
	case u.PartBytes < objects.MinPartBytes || u.PartBytes > objects.MaxPartBytes:
		return fmt.Errorf("PartBytes is %d: it must be between %d and %d", u.PartBytes, objects.MinPartBytes, int64(objects.MaxPartBytes))
	case u.Limits.Largest()/u.PartBytes >= objects.MaxParts:
		return fmt.Errorf("PartBytes is %d: the largest upload, of %d, would have more than %d parts", u.PartBytes, u.Limits.Largest(), objects.MaxParts)
	case u.MaxSpool < 0:
		return fmt.Errorf("MaxSpool is %d: it must be positive", u.MaxSpool)
	}
	return checkLease(p, u.Lease)
}

// Owner is whose an upload is.
type Owner struct {
	Tenant string
	ID     string
	// QuotaLimit is how many live uploads the owner may have; zero keeps no
	// quota.
	QuotaLimit int64
}

// Meta is what a client says of what it uploads. None of it is believed.
type Meta struct {
	// Kind chooses the rules, by the name that they have in [Uploads].Limits.
	Kind string
	// Name is what the client calls the file; it is cleaned, and only its
	// extension means anything.
	Name string
	// Size is how many bytes the client said it would send; zero or less if it
	// said nothing.
	Size int64
	// IdempotencyKey makes a repetition of the request return the first one's
	// answer; may be empty.
	IdempotencyKey string
	// AllowDuplicate takes content that the owner has uploaded before. Without
	// it that is refused, with the id of the live one.
	AllowDuplicate bool
	// Hold is how long the upload is kept until somebody refers to it
	// ([Service.AddReference]), so that one whose application died before that
	// goes by itself. Zero keeps it for good.
	Hold time.Duration
}

// Uploaded is an upload that is complete.
type Uploaded struct {
	ID upload.ID
	// Bucket, Key and VersionID are where it stands, for whoever serves it.
	Bucket    string
	Key       string
	VersionID string
	Size      int64
	// SHA256 of the content, in lower-case hexadecimal; Type its media type, as
	// it is stored.
	SHA256 string
	Type   string
	// Name is the cleaned name, for people.
	Name string
	// Repeated: an earlier request with the same idempotency key had uploaded
	// it already.
	Repeated bool
}

var errNotTaken = errors.New("this service was made without Uploads, and takes none")
