package intake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Why an upload was given up, on its record.
const (
	notScanned   = "not scanned"
	notStored    = "not stored"
	notConfirmed = "not confirmed"
)

// giveUpWithin bounds a cancel: its caller may have gone, and the scheduler
// does what it could not.
const giveUpWithin = 15 * time.Second

// Upload takes one file whole: it judges name, size and content, reads the body
// to its end and hashes it, reserves the upload, has it scanned, puts it, and
// publishes it, in this order. Nothing is written anywhere before the whole body
// is read and found good, and no ledger transaction is open while bytes travel.
// Whatever fails, the upload is cancelled with its reason, or left to cleanup
// where that fails too; the first error comes first.
//
// The memory it takes does not grow with the body. A body that can seek is read
// twice; any other is kept in a file without a name meanwhile, of at most
// [Uploads].MaxSpool bytes.
//
// What the client did wrong is an ErrInvalid with a [validate.Refusal].
// ErrQuota, ErrDuplicate, ErrKeyReused, ErrInProgress and ErrGivenUp are
// answers too: [Explain] has a sentence for a person for each of them. After
// any other error make the same request again, with the same idempotency key:
// it is answered with the upload, if that is complete; taken up again, if its
// process died and its lease is over; or told that it was given up.
func (s *Service) Upload(ctx context.Context, owner Owner, body io.Reader, m Meta) (Uploaded, error) {
	a, err := s.examine(owner, m)
	if err == nil && body == nil {
		err = fmt.Errorf("%w: it has no body", ErrInvalid)
	}
	if err != nil {
		return Uploaded{}, fmt.Errorf("upload: %w", err)
	}
	c, err := s.take(ctx, a, body)
	if err != nil {
		return Uploaded{}, fmt.Errorf("upload: %w", err)
	}
	defer c.close()
	a.answer.Size, a.answer.SHA256, a.answer.Type = c.size, hex.EncodeToString(c.sum), c.kind.Media
	session, err := s.Reserve(ctx, a.request(s.newID(), s.uploads.Lease))
	if err != nil {
		record, err := s.completed(ctx, err)
		a.answer.Repeated = true
		return a.answered(record, s.refused(ctx, err))
	}
	return a.answered(s.transfer(ctx, session, a, c))
}

// asked is a request whose words are found good.
type asked struct {
	owner  Owner
	meta   Meta
	rules  validate.Rules
	name   validate.Name
	place  Uploads
	answer Uploaded
}

// examine judges what can be judged before the body is read.
func (s *Service) examine(owner Owner, m Meta) (asked, error) {
	if s.uploads.Bucket == "" {
		return asked{}, fmt.Errorf("%w: %w", ErrInvalid, errNotTaken)
	}
	a := asked{owner: owner, meta: m, place: s.uploads}
	var err error
	if a.rules, err = s.uploads.Limits.For(owner.Tenant, m.Kind); err == nil {
		a.name, err = a.rules.Name(m.Name)
	}
	if err == nil {
		err = a.rules.Size(m.Size)
	}
	if err == nil {
		err = checkKey(m.IdempotencyKey)
	}
	if err == nil && m.Hold < 0 {
		err = fmt.Errorf("hold is %v: it must not be negative", m.Hold)
	}
	if err == nil {
		err = a.request(owner.ID, s.uploads.Lease).check(s.policy)
	}
	if err != nil {
		return asked{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	a.answer = Uploaded{Bucket: s.uploads.Bucket, Name: a.name.Display}
	return a, nil
}

// checkKey judges what is often a client's own header.
func checkKey(key string) error {
	if key == "" || upload.ValidID("idempotency key", key) == nil {
		return nil
	}
	return &validate.Refusal{
		Reason: validate.KeyInvalid, Field: validate.FieldIdempotencyKey,
		Sentence: fmt.Sprintf("This idempotency key cannot be one: send at most %d bytes of text in one line.", upload.MaxIDBytes),
	}
}

// request is the reservation. Each call is a holder of its own, so that a
// repetition waits for the first to end.
func (a asked) request(holder string, lease time.Duration) Request {
	r := Request{
		Tenant: a.owner.Tenant, Owner: a.owner.ID, QuotaLimit: a.owner.QuotaLimit,
		IdempotencyKey: a.meta.IdempotencyKey, Fingerprint: a.fingerprint(),
		Holder: holder, Lease: lease, Bucket: a.place.Bucket, Prefix: a.place.Prefix, Chunks: 1,
	}
	if !a.meta.AllowDuplicate {
		r.ContentHash = a.answer.SHA256
	}
	return r
}

// fingerprint is what makes two requests with one idempotency key the same.
func (a asked) fingerprint() string {
	said, err := json.Marshal([]any{a.meta.Kind, a.meta.Name, a.answer.SHA256, a.meta.AllowDuplicate, a.meta.Hold})
	if err != nil {
		panic(err) // strings and numbers: cannot be
	}
	sum := sha256.Sum256(said)
	return hex.EncodeToString(sum[:])
}

// answered is what the caller is told of the record.
func (a asked) answered(record upload.Record, err error) (Uploaded, error) {
	if err != nil {
		return Uploaded{}, fmt.Errorf("upload: %w", err)
	}
	a.answer.ID = record.ID
	for _, o := range record.Manifest.Objects {
		if record.Manifest.Listed(o.Key) {
			a.answer.Key, a.answer.VersionID = record.ObjectKey(o.Key), o.VersionID
		}
	}
	return a.answer, nil
}

// transfer scans, puts and publishes what is reserved, or gives it up.
func (s *Service) transfer(ctx context.Context, session *Session, a asked, c *content) (upload.Record, error) {
	if err := s.scan(ctx, session, c); err != nil {
		return s.giveUp(ctx, session, notScanned, err)
	}
	o, err := s.putWhole(ctx, session, c)
	if err != nil {
		return s.giveUp(ctx, session, notStored, err)
	}
	until := time.Time{}
	if a.meta.Hold > 0 {
		until = s.now().Add(a.meta.Hold)
	}
	if err := session.Complete(ctx, []upload.Key{o.Key}, until); err != nil {
		return s.giveUp(ctx, session, notConfirmed, err)
	}
	return session.Record(), nil
}

// scan has the scanner look at what is going to be put.
func (s *Service) scan(ctx context.Context, session *Session, c *content) error {
	if s.uploads.Scanner == nil {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, s.policy.ClientTimeout)
	defer cancel()
	shown := &hashing{from: c.section(0, c.size), sum: sha256.New()}
	err := s.uploads.Scanner.Scan(short, validate.Content{Type: c.kind, Size: c.size, SHA256: c.sum, Body: shown})
	if err == nil && shown.read == c.size && !bytes.Equal(shown.sum.Sum(nil), c.sum) {
		err = errors.New("the body changed before it was scanned")
	}
	var refusal *validate.Refusal
	switch {
	case errors.As(err, &refusal):
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	case err != nil:
		return fmt.Errorf("scan upload %s: %w", session.ID().Upload, err)
	}
	return session.Renew(ctx, s.uploads.Lease)
}

// giveUp cancels what failed with first, and tells what came of it. The caller
// may have gone; what it gives up is given up all the same. What turns out to
// be published, its answer lost, is no failure.
func (s *Service) giveUp(ctx context.Context, session *Session, reason string, first error) (upload.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpWithin)
	defer cancel()
	cancelled := session.Cancel(ctx, reason)
	if reason == notConfirmed && errors.Is(cancelled, upload.ErrFenceLost) && completedBy(session.Record(), session.fence) {
		return session.Record(), nil
	}
	return session.Record(), errors.Join(first, cancelled)
}

// errUnfinished: the upload that has the content already is not complete.
var errUnfinished = errors.New("it is not complete")

// refused says of a reservation that was not to be had what stands in its way,
// if that is not what it seems: of a repetition, that what the first one began
// does not stand any more; of a duplicate, that it is not there yet.
func (s *Service) refused(ctx context.Context, err error) error {
	var refusal *upload.Refusal
	if errors.As(err, &refusal) && refusal.Event == upload.KindAcquire {
		return fmt.Errorf("%w: %w", ErrGivenUp, err)
	}
	live, duplicate := LiveUpload(err)
	if !duplicate {
		return err
	}
	if r, unknown := s.records.Load(ctx, live); unknown == nil && r.State != upload.StateComplete {
		return fmt.Errorf("%w: %w", errUnfinished, err)
	}
	return err
}
