package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// maxKeyBytes is S3's bound on a key
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html).
const maxKeyBytes = 1_024

// Request asks for a new upload.
type Request struct {
	Tenant string
	Owner  string
	// QuotaLimit is how many live uploads the owner may have; zero keeps no
	// quota.
	QuotaLimit int64
	// ContentHash is the SHA-256, in lower-case hexadecimal, by which the
	// owner's live uploads are unique; empty if they are not.
	ContentHash string
	// IdempotencyKey makes a repetition of the request return the same upload;
	// may be empty. Fingerprint is what makes two requests the same beside the
	// fields of this struct, such as the user's file name.
	IdempotencyKey string
	Fingerprint    string
	// Holder names the writer: the same for all attempts of one process. A
	// writer that comes back under its name need not wait for its own lease.
	Holder string
	// Lease is how long no other holder may take over, at most the policy's
	// MaxLease.
	Lease time.Duration
	// Hold is how long the unfinished upload is kept at least; zero for none:
	// then it is given up some time after its deadline.
	Hold time.Duration
	// Deadline is the longest that all puts of one attempt may take; zero for
	// the policy's UploadDeadline.
	Deadline time.Duration
	// Bucket and Prefix are where the generated keys go.
	Bucket string
	Prefix string
	// Chunks declares that many keys at once; more can be declared later.
	Chunks int
	// ByEvents: whoever records the last of the Chunks from a storage event
	// also completes the upload, for good; for puts by presigned URLs. What is
	// declared later is not waited for, so Chunks must be all of them.
	ByEvents bool
}

// check says in one line what is wrong with the request.
func (r Request) check(p policy.Policy) error {
	for _, id := range []struct{ what, value string }{{"tenant", r.Tenant}, {"owner", r.Owner}, {"holder", r.Holder}} {
		if err := upload.ValidID(id.what, id.value); err != nil {
			return err
		}
	}
	if r.IdempotencyKey != "" {
		if err := upload.ValidID("idempotency key", r.IdempotencyKey); err != nil {
			return err
		}
	}
	if err := checkLease(p, r.Lease); err != nil {
		return err
	}
	if err := r.checkNumbers(p); err != nil {
		return err
	}
	return r.checkPlace()
}

func checkLease(p policy.Policy, lease time.Duration) error {
	if lease <= 0 || lease > p.MaxLease {
		return fmt.Errorf("lease is %v: it must be positive and at most %v", lease, p.MaxLease)
	}
	return nil
}

func (r Request) checkNumbers(p policy.Policy) error {
	switch {
	case r.QuotaLimit < 0:
		return fmt.Errorf("quota limit is %d: it must not be negative", r.QuotaLimit)
	case r.ContentHash != "" && !isSHA256(r.ContentHash):
		return fmt.Errorf("content hash has %d characters: expected a SHA-256 as 64 lower-case hexadecimal digits", len(r.ContentHash))
	case r.Hold < 0:
		return fmt.Errorf("hold is %v: it must not be negative", r.Hold)
	case r.Deadline != 0 && r.Deadline <= p.ClientTimeout:
		return fmt.Errorf("deadline is %v: it must be more than the client timeout, %v", r.Deadline, p.ClientTimeout)
	case r.Deadline >= p.OrphanGrace:
		return fmt.Errorf("deadline is %v: it must be less than the policy's OrphanGrace, %v", r.Deadline, p.OrphanGrace)
	case r.Chunks < 0 || r.Chunks > upload.MaxDeclared:
		return fmt.Errorf("chunks is %d: it must be between 0 and %d", r.Chunks, upload.MaxDeclared)
	case r.ByEvents && r.Chunks == 0:
		return fmt.Errorf("chunks is 0: an upload that storage events complete must say how many there will be")
	}
	return nil
}

func isSHA256(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size && s == strings.ToLower(s)
}

func (r Request) checkPlace() error {
	longest := upload.Record{ID: upload.ID{Tenant: r.Tenant, Upload: strings.Repeat("u", 36)}, Prefix: r.Prefix}.
		ObjectKey(upload.Key{Attempt: math.MaxInt64, Seq: upload.MaxDeclared})
	switch {
	case r.Bucket == "":
		return fmt.Errorf("bucket is empty")
	case !utf8.ValidString(r.Prefix):
		return fmt.Errorf("prefix is not UTF-8")
	case strings.HasPrefix(r.Prefix, "/"):
		return fmt.Errorf(`prefix begins with "/"`)
	case len(longest) > maxKeyBytes:
		return fmt.Errorf("prefix has %d bytes: keys would be over the %d that S3 takes", len(r.Prefix), maxKeyBytes)
	}
	return nil
}

// event is the reservation of a new upload with this id.
func (r Request) event(id string, now time.Time, keyLife time.Duration) upload.Reserve {
	e := upload.Reserve{
		ID: upload.ID{Tenant: r.Tenant, Upload: id}, Owner: r.Owner, QuotaLimit: r.QuotaLimit,
		ContentHash: r.ContentHash, Holder: r.Holder, Lease: r.Lease, Deadline: r.Deadline,
		Bucket: r.Bucket, Prefix: r.Prefix, Declared: r.Chunks, ByEvents: r.ByEvents,
	}
	if r.Hold > 0 {
		e.HoldUntil = now.Add(r.Hold)
	}
	if r.IdempotencyKey != "" {
		e.IdempotencyKey, e.RequestDigest, e.KeyExpires = r.IdempotencyKey, r.digest(), now.Add(keyLife)
	}
	return e
}

// digest is what two requests with one key are compared by. Who asks (holder,
// lease) and what the owner may have today (quota) take no part: a repetition
// comes from another process, or on another day.
func (r Request) digest() string {
	said := []any{r.Tenant, r.Owner, r.ContentHash, r.Fingerprint, r.Hold, r.Deadline, r.Bucket, r.Prefix, r.Chunks}
	if r.ByEvents { // only then: a key that an older version has taken keeps its digest
		said = append(said, "by events")
	}
	asked, err := json.Marshal(said)
	if err != nil {
		panic(err) // strings and integers: cannot be
	}
	sum := sha256.Sum256(asked)
	return hex.EncodeToString(sum[:])
}
