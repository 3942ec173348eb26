package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Records is where upload records live.
type Records interface {
	// Load reads consistently; the zero Record if there is none.
	Load(ctx context.Context, id upload.ID) (upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Lookups answers what a record does not: the state of one reference, and
// which upload an idempotency key reserved.
type Lookups interface {
	Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error)
	KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error)
}

// Objects is where the bytes go. Every put says If-None-Match: *, so a key gets
// one version; ErrRefused if it has one.
type Objects interface {
	Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error)
	PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error)
	objects.PartStore
	// Versions is asked for one key only, and Stat and Open for one version, to
	// find a put whose answer was lost.
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
}

// Config is what a Service is made of. NewID, KeyLife and
// Uploads may be left out.
type Config struct {
	Records Records
	Lookups Lookups
	Objects Objects
	Policy  policy.Policy
	// Now is the clock that every deadline is compared with.
	Now func() time.Time
	// NewID makes an id that was never used; UUIDs of version 7 by default.
	NewID func() string
	// KeyLife is how long an idempotency key stands for its first request; a
	// day by default, and less than the policy's TombstoneTTL, so that the
	// upload it names is still known.
	KeyLife time.Duration
	// Uploads is what [Service.Upload] takes; the zero value, without a bucket,
	// takes nothing.
	Uploads Uploads
}

// Service reserves and acquires uploads. It is safe for concurrent use.
type Service struct {
	records Records
	lookups Lookups
	objects Objects
	policy  policy.Policy
	now     func() time.Time
	newID   func() string
	keyLife time.Duration
	uploads Uploads
}

const defaultKeyLife = 24 * time.Hour

// New returns a service, or one line that says what of the configuration is
// missing or contradicts itself.
func New(c Config) (*Service, error) {
	if c.Records == nil || c.Lookups == nil || c.Objects == nil || c.Now == nil {
		return nil, errors.New("intake: Records, Lookups, Objects and Now are required")
	}
	if c.NewID == nil {
		c.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if c.KeyLife == 0 {
		c.KeyLife = defaultKeyLife
	}
	if err := checkTimes(c.Policy, c.KeyLife); err != nil {
		return nil, fmt.Errorf("intake: %w", err)
	}
	uploads, err := c.Uploads.settled(c.Policy)
	if err != nil {
		return nil, fmt.Errorf("intake: uploads: %w", err)
	}
	return &Service{
		records: c.Records, lookups: c.Lookups, objects: c.Objects, policy: c.Policy,
		now: c.Now, newID: c.NewID, keyLife: c.KeyLife, uploads: uploads,
	}, nil
}

// checkTimes refuses a policy under which no put could ever end in time.
func checkTimes(p policy.Policy, keyLife time.Duration) error {
	if err := p.Validate(); err != nil {
		return err
	}
	switch {
	case p.ClientTimeout >= p.UploadDeadline:
		return fmt.Errorf("policy ClientTimeout is %v: it must be less than UploadDeadline, %v", p.ClientTimeout, p.UploadDeadline)
	case p.URLLife+p.ClientTimeout > p.UploadDeadline:
		return fmt.Errorf("policy URLLife and ClientTimeout are %v together: they must not exceed UploadDeadline, %v",
			p.URLLife+p.ClientTimeout, p.UploadDeadline)
	case keyLife < 0 || keyLife >= p.TombstoneTTL:
		return fmt.Errorf("KeyLife is %v: it must be positive and less than TombstoneTTL, %v", keyLife, p.TombstoneTTL)
	}
	return nil
}
