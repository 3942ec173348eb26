package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Chunk is one object of an upload. Seq counts from 1; by convention chunk n
// has the sequence n in every attempt. SHA256 (32 bytes, or none) lets the
// store check the body, and lets a put whose answer was lost be recognised.
type Chunk struct {
	Seq    int
	Size   int64
	SHA256 []byte
	// Type is the media type that is stored with the object; may be empty.
	Type string
}

func (c Chunk) content() objects.Content {
	return objects.Content{Size: c.Size, SHA256: c.SHA256, Type: c.Type}
}

// expected is what has to come of it.
func (c Chunk) expected() upload.Expected {
	return upload.Expected{Stated: true, Size: c.Size, Checksum: objects.Checksum(c.SHA256)}
}

func (c Chunk) check() error {
	switch {
	case c.Seq < 1 || c.Seq > upload.MaxDeclared:
		return fmt.Errorf("sequence is %d: it must be between 1 and %d", c.Seq, upload.MaxDeclared)
	case c.Size < 0:
		return fmt.Errorf("size is %d: it must not be negative", c.Size)
	case len(c.SHA256) != 0 && len(c.SHA256) != 32:
		return fmt.Errorf("SHA-256 has %d bytes: expected 32, or none", len(c.SHA256))
	}
	return nil
}

// Put declares the chunk's key if that was not done, puts the body within the
// policy's ClientTimeout, and records what was stored.
//
// ErrDeadline if the put might end after the session's deadline, ErrMismatch if
// something else was stated of the key (see [Session.Presign]). After another
// failure put it again, the body from its beginning: a put that was done and
// whose answer was lost is found by its SHA-256. ErrTaken if that cannot be
// known. If only the record failed, the object comes back with the error, for
// [Session.RecordObject].
func (s *Session) Put(ctx context.Context, c Chunk, body io.Reader) (upload.Object, error) {
	if err := c.check(); err != nil {
		return upload.Object{}, fmt.Errorf("put: %w: %w", ErrInvalid, err)
	}
	place, err := s.preparePut(ctx, c)
	if err != nil {
		return upload.Object{}, s.putting(c, err)
	}
	stored, err := s.send(ctx, place, c, body)
	if err != nil {
		return upload.Object{}, s.putting(c, err)
	}
	o := upload.Object{
		Key: s.Key(c.Seq), VersionID: stored.VersionID, Size: c.Size, ETag: stored.ETag, Checksum: objects.Checksum(c.SHA256),
	}
	return o, s.RecordObject(ctx, o)
}

// preparePut declares the chunk. In an upload that events complete it is stated,
// too: so that the event of another one does not complete the upload while this
// one travels, with what an earlier attempt has put in its place.
func (s *Session) preparePut(ctx context.Context, c Chunk) (place, error) {
	takes := s.service.policy.ClientTimeout
	if s.Record().ByEvents && !s.expected(c.Seq).Stated {
		if err := s.state(ctx, takes, []upload.ExpectedObject{{Seq: c.Seq, Expected: c.expected()}}); err != nil {
			return place{}, err
		}
	}
	p, err := s.prepare(ctx, c.Seq, takes)
	if err == nil && !s.expected(c.Seq).Met(c.Size, objects.Checksum(c.SHA256)) {
		err = upload.ErrMismatch
	}
	return p, err
}

// putting says once which chunk of which upload an error is about.
func (s *Session) putting(c Chunk, err error) error {
	return fmt.Errorf("put chunk %d of upload %s: %w", c.Seq, s.id.Upload, err)
}

// expected is what was stated of a key of this attempt.
func (s *Session) expected(seq int) upload.Expected {
	return s.Record().Manifest.Object(s.Key(seq)).Expected
}

// place is where a declared chunk goes.
type place struct{ bucket, key string }

// prepare declares the sequence and checks, after that, that something which
// takes this long ends by the deadline.
func (s *Session) prepare(ctx context.Context, seq int, takes time.Duration) (place, error) {
	if err := s.inTime(takes); err != nil {
		return place{}, err
	}
	if !s.declared(seq) {
		if err := s.apply(ctx, upload.Declare{Fence: s.fence, Declared: seq}); err != nil {
			return place{}, err
		}
	}
	if s.Record().Fence != s.fence {
		return place{}, upload.ErrFenceLost
	}
	return s.place(seq), s.inTime(takes)
}

func (s *Session) place(seq int) place {
	r := s.Record()
	return place{r.Bucket, r.ObjectKey(s.Key(seq))}
}

func (s *Session) inTime(takes time.Duration) error {
	if s.service.now().Add(takes).After(s.deadline) {
		return ErrDeadline
	}
	return nil
}

// declared reports whether the ledger is known to allow the sequence: what was
// declared once stays so.
func (s *Session) declared(seq int) bool {
	for _, a := range s.Record().Manifest.Attempts {
		if a.Number == s.fence {
			return seq <= a.Declared
		}
	}
	return false
}

// send puts the body. What it cannot know from the answer, it looks for.
func (s *Session) send(ctx context.Context, p place, c Chunk, body io.Reader) (objects.Stored, error) {
	sole := s.note(c)
	short, cancel := context.WithTimeout(ctx, s.service.policy.ClientTimeout)
	defer cancel()
	stored, err := s.service.objects.Put(short, p.bucket, p.key, body, c.content())
	switch {
	case err == nil:
		if !exactVersion(stored.VersionID) {
			return objects.Stored{}, fmt.Errorf("the bucket keeps no versions: %w", upload.ErrRefused)
		}
		return stored, nil
	case errors.Is(err, upload.ErrRefused), errors.Is(err, upload.ErrUnclear), errors.Is(err, context.DeadlineExceeded):
		return s.find(ctx, p, c, sole, err)
	}
	return objects.Stored{}, err
}

// note remembers what is sent for a sequence, and reports whether nothing else
// was ever sent for it.
func (s *Session) note(c Chunk) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := string(c.SHA256)
	before, known := s.sent[c.Seq]
	if known && before != sum {
		sum = ""
	}
	s.sent[c.Seq] = sum
	return s.alone && sum != ""
}

// find looks whether this put, or an earlier one of the same bytes, was done
// although the answer says something else: the first answer may have been
// lost. Only one who alone writes here, and sent nothing else, can conclude so,
// and only of these very bytes: whoever may write to the bucket may have put
// others there.
func (s *Session) find(ctx context.Context, p place, c Chunk, sole bool, answer error) (objects.Stored, error) {
	o, err := s.look(ctx, p, s.Key(c.Seq), c.expected())
	switch {
	case errors.Is(err, upload.ErrAbsent):
		return objects.Stored{}, answer
	case errors.Is(err, ErrTaken), errors.Is(err, upload.ErrMismatch), err == nil && !sole:
		return objects.Stored{}, ErrTaken
	case err != nil:
		return objects.Stored{}, errors.Join(answer, err)
	}
	return objects.Stored{VersionID: o.VersionID, ETag: o.ETag}, nil
}
