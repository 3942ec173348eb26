package confirm

import (
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// skip says why there is nothing to do, from the record alone; nothing if
// there is.
func (t *turn) skip() string {
	known := t.claim.VersionID
	switch {
	case !t.claim.KeyKnown:
		return SkipUnknown
	case t.created.VersionID == "" || t.created.VersionID == objects.NullVersion:
		return SkipNoVersion
	case known != "" && known != t.created.VersionID:
		return SkipOther
	case known != "" && !completable(t.claim.Record, t.claim.Key):
		return SkipRepeated
	case known != "":
		return ""
	}
	return late(t.claim.Record, t.claim.Key)
}

// completable reports whether a recorded object of the key is reason to complete
// the upload: the reservation says that events do, everything that was declared
// is there, and the attempt is still the one that has the upload.
//
// It is asked of an object that was recorded before, too: whoever recorded the
// last one may have died before it completed, or the application may have
// recorded it itself.
func completable(r upload.Record, k upload.Key) bool {
	_, whole := r.Manifest.Gathered()
	return r.ByEvents && whole && r.State == upload.StateReceiving && k.Attempt == r.Fence
}

// late says why an object that is not recorded comes too late for its upload;
// nothing if it does not.
func late(r upload.Record, k upload.Key) string {
	state := r.State
	if state == upload.StateExpired {
		state = r.MarkedFrom // its writer may still come back, and so may its objects
	}
	switch state {
	case upload.StateComplete:
		return SkipCompleted
	case upload.StateCancelled:
		return SkipGivenUp
	case upload.StateDeleting, upload.StateDeleted:
		return SkipDeleted
	}
	if k.Attempt != r.Fence {
		return SkipStale
	}
	return ""
}
