package show

import (
	"testing"
	"time"
)

func TestHowLongAgoSomethingWas(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-time.Hour:       "2026-11-30 13:00 UTC",
		0:                "2026-11-30 12:00 UTC, just now",
		59 * time.Minute: "2026-11-30 11:01 UTC, 59 m ago",
		time.Hour:        "2026-11-30 11:00 UTC, 1 h ago",
		72 * time.Hour:   "2026-11-27 12:00 UTC, 3 d ago",
	} {
		if got := Since(now, now.Add(-ago)); got != want {
			t.Errorf("%v: %q, expected %q", ago, got, want)
		}
	}
	if got := Since(now, time.Time{}); got != "-" {
		t.Errorf("never: %q", got)
	}
	for ago, want := range map[time.Duration]string{
		-time.Minute:     "2026-11-30T12:01:00Z",
		20 * time.Second: "2026-11-30T11:59:40Z, just now",
		10 * time.Minute: "2026-11-30T11:50:00Z, 10 m ago",
		47 * time.Hour:   "2026-11-28T13:00:00Z, 47 h ago",
	} {
		if got := Moment(now.Add(-ago), now); got != want {
			t.Errorf("%v: %q, expected %q", ago, got, want)
		}
	}
}
