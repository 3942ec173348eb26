package installation_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
)

// An inventory on a moved clock whose times were the store's would make what
// was written after a move as much too old.
func TestAnInstantOfTheStoreIsShownAsTheClockShowedItThen(t *testing.T) {
	real := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	begun := real
	c := installation.NewClock(func() time.Time { return real }, begun.Add(time.Hour))
	before := real
	real = real.Add(time.Minute)
	c.Advance(30 * time.Hour)
	between := real.Add(time.Second)
	real = real.Add(time.Minute)
	c.Advance(25 * time.Hour)
	for instant, ahead := range map[time.Time]time.Duration{before: time.Hour, between: 31 * time.Hour, real: 56 * time.Hour} {
		if got := c.Shown(instant).Sub(instant); got != ahead {
			t.Errorf("at %v the clock was %v ahead, expected %v", instant.Sub(begun), got, ahead)
		}
	}
	if still := installation.NewStillClock(real); !still.Shown(begun).Equal(begun) {
		t.Error("a still clock is its store's too")
	}
}
