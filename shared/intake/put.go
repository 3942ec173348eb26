package intake

import (
	"context"
	"encoding/hex"
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
// ErrDeadline if the put might end after the session's deadline. After another
// failure put it again, the body from its beginning: a put that was done and
// whose answer was lost is found by its SHA-256. ErrTaken if that cannot be
// known. If only the record failed, the object comes back with the error, for
// [Session.RecordObject].
func (s *Session) Put(ctx context.Context, c Chunk, body io.Reader) (upload.Object, error) {
	if err := c.check(); err != nil {
		return upload.Object{}, fmt.Errorf("put: %w: %w", ErrInvalid, err)
	}
	place, err := s.prepare(ctx, c.Seq, s.service.policy.ClientTimeout)
	if err != nil {
		return upload.Object{}, s.putting(c, err)
	}
	stored, err := s.send(ctx, place, c, body)
	if err != nil {
		return upload.Object{}, s.putting(c, err)
	}
	o := upload.Object{
		Key: s.Key(c.Seq), VersionID: stored.VersionID, Size: c.Size, ETag: stored.ETag, Checksum: hex.EncodeToString(c.SHA256),
	}
	return o, s.RecordObject(ctx, o)
}

// Presign declares the chunk's key if that was not done, and signs a put for
// somebody without credentials: for life, or the policy's URLLife, its longest,
// if life is zero. A put that begins in the last moment of the URL may go on
// after it, so life and ClientTimeout together must end by the deadline;
// ErrDeadline if not. Record the object when it has come.
func (s *Session) Presign(ctx context.Context, c Chunk, life time.Duration) (objects.Presigned, error) {
	longest := s.service.policy.URLLife
	if life == 0 {
		life = longest
	}
	err := c.check()
	if err == nil && (life < 0 || life > longest) {
		err = fmt.Errorf("life is %v: it must be positive and at most %v", life, longest)
	}
	if err != nil {
		return objects.Presigned{}, fmt.Errorf("presign: %w: %w", ErrInvalid, err)
	}
	place, err := s.prepare(ctx, c.Seq, life+s.service.policy.ClientTimeout)
	if err != nil {
		return objects.Presigned{}, s.putting(c, err)
	}
	presigned, err := s.service.objects.PresignPut(ctx, place.bucket, place.key, c.content(), life)
	if err != nil {
		return objects.Presigned{}, s.putting(c, err)
	}
	return presigned, nil
}

// BeginMultipart declares the chunk's key if that was not done, begins a
// multipart upload on it and records its id, so that cleanup can abort it. The
// application sends the parts, completes it with If-None-Match: * by the
// session's deadline, and records the object. The id comes back with an error
// if only recording it failed.
func (s *Session) BeginMultipart(ctx context.Context, seq int, mediaType string) (string, error) {
	c := Chunk{Seq: seq}
	if err := c.check(); err != nil {
		return "", fmt.Errorf("begin multipart: %w: %w", ErrInvalid, err)
	}
	place, err := s.prepare(ctx, seq, s.service.policy.ClientTimeout)
	if err != nil {
		return "", s.putting(c, err)
	}
	id, err := s.service.objects.BeginMultipart(ctx, place.bucket, place.key, mediaType)
	if err != nil {
		return "", s.putting(c, err)
	}
	return id, s.apply(ctx, upload.Declare{
		Fence: s.fence, Declared: seq, Multiparts: []upload.Multipart{{Key: s.Key(seq), UploadID: id}},
	})
}

// putting says once which chunk of which upload an error is about.
func (s *Session) putting(c Chunk, err error) error {
	return fmt.Errorf("put chunk %d of upload %s: %w", c.Seq, s.id.Upload, err)
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
	r := s.Record()
	if r.Fence != s.fence {
		return place{}, upload.ErrFenceLost
	}
	return place{r.Bucket, r.ObjectKey(s.Key(seq))}, s.inTime(takes)
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
// lost. Only one who alone writes here, and sent nothing else, can conclude so.
func (s *Session) find(ctx context.Context, p place, c Chunk, sole bool, answer error) (objects.Stored, error) {
	var standing []objects.Version
	for v, err := range objects.VersionsOf(ctx, s.service.objects, p.bucket, p.key) {
		if err != nil {
			return objects.Stored{}, errors.Join(answer, err)
		}
		standing = append(standing, v)
	}
	switch {
	case len(standing) == 0:
		return objects.Stored{}, answer
	case !sole || len(standing) > 1:
		return objects.Stored{}, ErrTaken
	}
	v := standing[0]
	if v.Marker || v.Size != c.Size || !exactVersion(v.VersionID) {
		return objects.Stored{}, ErrTaken
	}
	return objects.Stored{VersionID: v.VersionID, ETag: v.ETag}, nil
}
