package lease_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// Without the lease two runs would judge each from a half of what the other
// wrote, and together exceed the limits that each of them keeps.
func TestOnlyOneRunOfAKindHasTheLease(t *testing.T) {
	store := memory.New()
	l, err := lease.Take(t.Context(), store, "pass", "first", noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lease.Take(t.Context(), store, "pass", "second", noon.Add(lease.Span-1)); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("a second pass: %v", err)
	}
	if _, err := lease.Take(t.Context(), store, "reconciliation", "another", noon); err != nil {
		t.Errorf("a run of another kind: %v", err)
	}
	l.Release(t.Context())
	if _, err := lease.Take(t.Context(), store, "pass", "third", noon); err != nil {
		t.Errorf("after it was given back: %v", err)
	}
}

// Without an end, one killed invocation would stop all that come after it.
func TestALeaseThatWasNotGivenBackEndsByItself(t *testing.T) {
	store := memory.New()
	dead, err := lease.Take(t.Context(), store, "pass", "dead", noon)
	if err != nil {
		t.Fatal(err)
	}
	if dead.Ending(noon.Add(lease.Span-time.Minute-1)) || !dead.Ending(noon.Add(lease.Span-time.Minute)) {
		t.Error("it does not end a minute before its span is over")
	}
	next, err := lease.Take(t.Context(), store, "pass", "next", noon.Add(lease.Span))
	if err != nil {
		t.Fatal(err)
	}
	// Without the condition on what was read, the dead one would give back what
	// is the next one's.
	dead.Release(t.Context())
	if _, err := lease.Take(t.Context(), store, "pass", "third", noon.Add(lease.Span)); !errors.Is(err, upload.ErrRefused) || next.Ending(noon.Add(lease.Span)) {
		t.Errorf("beside the next: %v", err)
	}
}

func TestWhoHasALeaseCanBeSeenWithoutTakingIt(t *testing.T) {
	store := memory.New()
	if h, err := lease.Look(t.Context(), store, "pass", noon); err != nil || h != (lease.Holder{}) {
		t.Errorf("one that was never taken: %+v, %v", h, err)
	}
	l, err := lease.Take(t.Context(), store, "pass", "first", noon)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if h, err := lease.Look(t.Context(), store, "pass", noon); err != nil || h.Run != "first" || !h.Until.Equal(noon.Add(lease.Span)) {
			t.Errorf("%+v, %v", h, err)
		}
	}
	if h, err := lease.Look(t.Context(), store, "pass", noon.Add(lease.Span)); err != nil || h.Run != "" {
		t.Errorf("after its end: %+v, %v", h, err)
	}
	l.Release(t.Context())
	if h, err := lease.Look(t.Context(), store, "pass", noon); err != nil || h.Run != "" {
		t.Errorf("given back: %+v, %v", h, err)
	}
}
