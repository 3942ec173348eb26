package intake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Session is one writer's hold on one upload. It is safe for concurrent use:
// several chunks may be put at once, and only their ledger writes take turns.
//
// Every method returns ErrFenceLost once somebody else has taken over, the
// upload was completed, or cleanup has claimed it: stop, and throw the session
// away.
type Session struct {
	service  *Service
	id       upload.ID
	fence    int64
	deadline time.Time
	// alone: no other session writes with this fence, so what stands under a
	// key of this attempt was put by this session.
	alone bool

	turn chan struct{} // holds one: who may write to the ledger

	mu     sync.Mutex // of what is below; never held during a call
	record upload.Record
	sent   map[int]string // SHA-256 of what was sent for a sequence; "" for none or several
}

func (s *Service) session(record upload.Record, fence int64) *Session {
	return &Session{
		service: s, id: record.ID, fence: fence, deadline: record.DeadlineAt, alone: true,
		turn: make(chan struct{}, 1), record: record, sent: map[int]string{},
	}
}

// ID names the upload.
func (s *Session) ID() upload.ID { return s.id }

// Fence is the lease generation that this writer was given: the attempt in its
// keys, and what [Service.Attach] takes.
func (s *Session) Fence() int64 { return s.fence }

// Deadline is when everything that this session sends must have ended.
func (s *Session) Deadline() time.Time { return s.deadline }

// Key names the generated key of a chunk in this session's attempt.
func (s *Session) Key(seq int) upload.Key { return upload.Key{Attempt: s.fence, Seq: seq} }

// Record is the upload's record as this session saw it last.
func (s *Session) Record() upload.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record
}

// Stored lists the objects that are known to be stored, one for each sequence,
// ascending: where several attempts put the same sequence, the newest. It is
// what a writer that comes back need not send again.
func (s *Session) Stored() []upload.Object {
	newest := map[int]upload.Object{}
	for _, o := range s.Record().Manifest.Objects { // ascending by attempt
		if o.VersionID != "" {
			newest[o.Seq] = o
		}
	}
	all := make([]upload.Object, 0, len(newest))
	for _, seq := range slices.Sorted(maps.Keys(newest)) {
		all = append(all, newest[seq])
	}
	return all
}

// Renew moves the lease to this long from now.
func (s *Session) Renew(ctx context.Context, lease time.Duration) error {
	if err := checkLease(s.service.policy, lease); err != nil {
		return fmt.Errorf("renew: %w: %w", ErrInvalid, err)
	}
	return s.apply(ctx, upload.Renew{Fence: s.fence, Lease: lease})
}

// Heartbeat says that the writer is alive. A status query counts as one.
func (s *Session) Heartbeat(ctx context.Context) error {
	return s.apply(ctx, upload.Heartbeat{Fence: s.fence})
}

// Declare says that the chunks 1..count of this attempt may be put. Put,
// Presign and BeginMultipart declare what they need; declaring all chunks at
// once saves a ledger write for each.
func (s *Session) Declare(ctx context.Context, count int) error {
	if count < 0 || count > upload.MaxDeclared {
		return fmt.Errorf("declare: %w: count is %d: it must be between 0 and %d", ErrInvalid, count, upload.MaxDeclared)
	}
	return s.apply(ctx, upload.Declare{Fence: s.fence, Declared: count})
}

// RecordObject says that a key of this attempt was put: after a presigned put
// or a multipart upload, or again after a Put whose record failed. A key's
// first version wins. ErrMismatch if the object is not what was stated of it. A
// success too if storage events recorded it, and completed the upload, before.
func (s *Session) RecordObject(ctx context.Context, o upload.Object) error {
	switch {
	case o.Attempt != s.fence:
		return fmt.Errorf("record-object: %w: the key is of attempt %d, the session's is %d", ErrInvalid, o.Attempt, s.fence)
	case !exactVersion(o.VersionID):
		return fmt.Errorf("record-object: %w: the object has no version id: is the bucket versioned", ErrInvalid)
	case o.Size < 0:
		return fmt.Errorf("record-object: %w: size is %d: it must not be negative", ErrInvalid, o.Size)
	}
	return s.apply(ctx, upload.RecordObject{
		Fence: s.fence, Seq: o.Seq, VersionID: o.VersionID, Size: o.Size, ETag: o.ETag, Checksum: o.Checksum,
	})
}

// exactVersion reports whether the id identifies a version.
func exactVersion(id string) bool { return id != "" && id != objects.NullVersion }

// BeginAssembly says that all objects have come and the writer builds what it
// publishes. From here on the upload does not expire; past the policy's
// StuckAfter it is flagged.
func (s *Session) BeginAssembly(ctx context.Context) error {
	return s.apply(ctx, upload.BeginAssembly{Fence: s.fence})
}

// Complete publishes the listed keys; every one must be recorded. What was
// declared and is not listed is superseded, and goes. Without holdUntil the
// upload is permanent. The same call again is a success.
func (s *Session) Complete(ctx context.Context, list []upload.Key, holdUntil time.Time) error {
	return s.apply(ctx, upload.Complete{Fence: s.fence, List: list, HoldUntil: holdUntil})
}

// Cancel gives the upload up. The same call again is a success.
func (s *Session) Cancel(ctx context.Context, reason string) error {
	return s.apply(ctx, upload.Cancel{Fence: s.fence, Reason: reason})
}

// apply takes the session's turn at the ledger.
func (s *Session) apply(ctx context.Context, e upload.Event) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return doing(e.Kind(), s.id, ctx.Err())
	}
	record, err := s.service.apply(ctx, s.id, s.Record(), e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = record
	return err
}
