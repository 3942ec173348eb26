package reconcile

// Verdict is what one object version, or one entry of a manifest, is.
type Verdict string

// The verdicts of the protocol's §7.
const (
	OK           Verdict = "ok"
	Hidden       Verdict = "hidden"
	Orphan       Verdict = "orphan"
	TooFresh     Verdict = "too_fresh"
	Marker       Verdict = "marker"
	Unsettled    Verdict = "unsettled"
	Changed      Verdict = "changed"
	Missing      Verdict = "missing"
	Lagging      Verdict = "lagging"
	Gone         Verdict = "gone"
	Corrupt      Verdict = "corrupt"
	Undead       Verdict = "undead"
	Conflict     Verdict = "conflict"
	Leftover     Verdict = "leftover"
	Ignored      Verdict = "ignored"
	NotCheckable Verdict = "not_checkable"
)

// Verdicts lists them all, in the protocol's order.
func Verdicts() []Verdict {
	return []Verdict{
		OK, Hidden, Orphan, TooFresh, Marker, Unsettled, Changed, Missing, Lagging,
		Gone, Corrupt, Undead, Conflict, Leftover, Ignored, NotCheckable,
	}
}

// Finding reports whether the verdict is one that a person should see; the
// others are counted, and written only when all are asked for.
func (v Verdict) Finding() bool {
	switch v {
	case OK, Gone, Ignored, Marker, TooFresh, Unsettled:
		return false
	}
	return true
}
