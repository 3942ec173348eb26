package validate_test

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake/validate"
)

// A limit that is none is a number like others.
func TestTheLargestLimitIsNoPanic(t *testing.T) {
	rules := photos()
	rules.MaxBytes = math.MaxInt64
	for _, said := range []int64{0, 4, math.MaxInt64} {
		n, err := io.Copy(io.Discard, rules.Meter(strings.NewReader("some"), said))
		if said == math.MaxInt64 {
			wantRefused(t, err, validate.FieldSize, validate.ShorterThanSaid)
		} else if err != nil || n != 4 {
			t.Errorf("said %d: %d bytes, %v", said, n, err)
		}
	}
}

// A name of which nobody can see anything but its end is no name to show.
func TestANameThatCannotBeSeenIsRefused(t *testing.T) {
	for _, given := range []string{
		"\u200d.png", "\u200c\u200d .png", "\u3164.png", "\u115f\u1160\uffa0.png", "\u2800.png", "\ufe0f.png", "\u034f.png", "\u0301.png", "\u200d.\u200d.png",
	} {
		_, err := photos().Name(given)
		wantRefused(t, err, validate.FieldName, validate.NoName)
	}
	for _, given := range []string{"-.png", "1.png", "👩.png", "ก.png", "_a.png"} {
		if _, err := photos().Name(given); err != nil {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// A file that says that it is less than nothing says nothing.
func TestASizeBelowZeroIsEmpty(t *testing.T) {
	wantRefused(t, photos().Whole(0, -1), validate.FieldFile, validate.Empty)
	wantRefused(t, photos().Whole(5, math.MinInt64), validate.FieldFile, validate.Empty)
}
