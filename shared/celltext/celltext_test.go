package celltext_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// What we read as an instant, time.Parse reads as well, and the same; and what
// it writes we read. It also takes a comma, and 24 hours of offset, which it
// writes, too.
func FuzzInstantsAreReadAsTheStandardLibraryDoes(f *testing.F) {
	for _, text := range []string{
		"2026-11-30T00:00:00Z", "2026-02-29T00:00:00Z", "2024-02-29T23:59:59.999999999+14:00", "0000-01-01T00:00:00-23:59", "1900-02-29T00:00:00Z",
		"9999-12-31T23:59:59.1Z", "2026-11-30T24:00:00Z", "2026-11-30T00:00:60Z", "2026-11-30T00:00:00.Z", "2026-11-30T00:00:00,5Z", "2026-1-30T00:00:00Z",
		"2026-11-30T00:00:00+0000", "2026-11-30 00:00:00Z", "2026-11-30T00:00:00", "2000-02-29T12:00:00+00:00", "2026-13-01T00:00:00Z", "2026-11-30T00:00:00.1234567891Z",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ms, ok := celltext.Instant(text)
		at, err := time.Parse(time.RFC3339, string(text))
		_, east := at.Zone()
		lax := max(east, -east) >= 24*60*60 || at.Format(time.RFC3339Nano) != string(text)
		if ok && err != nil || !ok && err == nil && !lax {
			t.Fatalf("%q: read %v, time.Parse says %v", text, ok, err)
		}
		if ok && ms != at.UnixMilli() {
			t.Fatalf("%q: %d, time.Parse says %d", text, ms, at.UnixMilli())
		}
	})
}

func TestASizeIsDigitsThatFit(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "007": 7, "9223372036854775807": 1<<63 - 1,
		"": -1, "-1": -1, "+1": -1, "1.5": -1, "1e3": -1, " 1": -1, "9223372036854775808": -1, "99999999999999999999": -1,
	} {
		n, ok := celltext.Size([]byte(text))
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
}

func TestAnETagLosesOnlyAPairOfQuotes(t *testing.T) {
	for text, want := range map[string]string{`"a-2"`: "a-2", "a": "a", `"`: `"`, `""`: "", `"a`: `"a`, `a"`: `a"`, "": ""} {
		if got := string(celltext.ETag([]byte(text))); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestAPlaceIsWrittenInGroupsOfThree(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1204: "1,204", 1234567: "1,234,567"} {
		if got := celltext.Place(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
