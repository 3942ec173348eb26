package source

// ParseURL reads what a URL names: of S3's own forms, or below one of the
// source's bases; the key is decoded exactly once. ours is false for a URL of
// no bucket. An *Unreadable error: it is of a bucket, and cannot be read without
// guessing.
func (s Source) ParseURL(text string) (o Object, ours bool, err error) {
	return Object{}, false, nil
}

// Spellings lists the values that the index's attribute may hold for an object,
// the canonical ones only; nil without an index.
func (s Source) Spellings(o Object) []string {
	if s.Index == nil {
		return nil
	}
	return []string{o.Key}
}

// Findable reports whether a row that spells an object so is found by the
// source's index.
func (s Source) Findable(n Named) bool { return true }
