package memory

import (
	"context"
	"slices"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// codeNoSuchBucket is S3's code for a bucket that does not exist.
const codeNoSuchBucket = "NoSuchBucket"

// Delete deletes exactly these versions, at most objects.MaxPerDelete of them,
// and answers for each in the same order. A version that does not stand is
// Gone; one that a lock or a legal hold keeps is Retained.
func (s *Store) Delete(ctx context.Context, name string, versions []upload.Condemned) []objects.Result {
	results := objects.Checked(name, versions)
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	for i := range results {
		r := &results[i]
		switch {
		case r.Refused():
		case ctx.Err() != nil: // nothing was sent
			r.Outcome, r.Code = objects.Failed, "cancelled"
		case err != nil:
			r.Outcome, r.Code = objects.Failed, codeNoSuchBucket
		default:
			s.delete(b, r)
		}
	}
	return results
}

func (s *Store) delete(b *bucket, r *objects.Result) {
	key, id := r.Condemned.Key(), r.Condemned.VersionID()
	r.Outcome = objects.Gone
	v := b.find(key, id)
	if v == nil {
		return
	}
	if kept := v.facts().Retained(s.now()); kept.Count > 0 {
		r.Outcome, r.Retained, r.Code = objects.Retained, kept, "AccessDenied"
		return
	}
	b.remove(key, id)
}

// Abort ends one multipart upload and frees its parts; one that does not exist
// is a success.
func (s *Store) Abort(ctx context.Context, name, key, uploadID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return err
	}
	b.multiparts = slices.DeleteFunc(b.multiparts, func(m *multipart) bool {
		return m.Key == key && m.UploadID == uploadID
	})
	return nil
}
