package upload

// repeated reports whether the event's result is in the record already: the
// same token, fence, source or list. Such an event succeeds and changes
// nothing, so that a lost answer can be asked for again.
func repeated(r Record, e Event) bool {
	switch e := e.(type) {
	case Reserve:
		return r.State == StateReceiving && r.Fence == 1 && r.Holder == e.Holder && r.Owner == e.Owner && e.Holder != ""
	case Adopt:
		return r.State != StateNone && r.Source != "" && r.Source == e.Source
	case RecordObject:
		// A storage event may have completed the upload before its writer records
		// what it has put; what it does not publish, its writer has lost.
		k := Key{e.Fence, e.Seq}
		return r.State == StateComplete && e.VersionID != "" && r.Manifest.Listed(k) && r.Manifest.Object(k).VersionID == e.VersionID
	case BeginAssembly:
		return r.State == StateAssembling && r.Fence == e.Fence
	case Complete:
		return r.State == StateComplete && r.Fence == e.Fence+1 &&
			r.HoldExpiresAt.Equal(instant(e.HoldUntil)) && r.Manifest.listsExactly(e.List)
	case Cancel:
		return r.State == StateCancelled && r.Fence == e.Fence
	case Release:
		return r.Owner == e.Owner && (r.State == StateCancelled || r.State == StateDeleting || r.State == StateDeleted)
	case ExtendHold:
		return (r.State == StateReceiving || r.State == StateComplete) && !e.HoldUntil.IsZero() &&
			r.HoldExpiresAt.Equal(instant(e.HoldUntil))
	case Resupersede:
		return r.State == StateComplete && !r.Trimmed && !r.SupersededDueAt.IsZero() &&
			r.Manifest.declares(e.Key) && !r.Manifest.Listed(e.Key)
	}
	return repeatedByWorker(r, e)
}

func repeatedByWorker(r Record, e Event) bool {
	switch e := e.(type) {
	case Claim:
		return r.State == StateDeleting && r.Token != "" && r.Token == e.Token
	case Reclaim:
		return r.State == StateDeleting && r.Token != "" && r.Token == e.Token
	case Continue:
		return r.State == StateDeleting && r.Fence == e.Fence && r.Holder == "" && r.PurgedThrough == e.Through
	case Retry:
		return r.State == StateDeleting && r.Fence == e.Fence && r.Holder == ""
	case Finish:
		return r.State == StateDeleted && r.Fence == e.Fence
	case Unpark:
		return r.State == StateDeleting && r.ParkedAt.IsZero()
	case Reopen:
		return r.State == StateDeleting
	case Withdraw:
		return r.Withdrawn()
	}
	return false
}
