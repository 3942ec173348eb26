package dynamo

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/gate"
)

// FuzzItem: whatever an item holds in the place of the gate, it is a state that
// is the same when it is stored and read again, and open only where it says so
// in so many words; or an error of one line, and nothing is given.
func FuzzItem(f *testing.F) {
	f.Add(uint16(0xffff), "delete", false, "500", "1000", "1796026200000000000", "7", "100", "1796026200000000000", "ann", "1796026200000")
	f.Add(uint16(0xffff), "Delete", true, "1e3", "-1", "99999999999999999999", "0", "0", "", "", "-1")
	f.Add(uint16(0x00ff), "report-only", false, "9223372036854775807", "9223372036854775807", "0", "1", "", "", "", "")
	f.Add(uint16(0), "", false, "", "", "", "", "", "", "", "")
	f.Fuzz(func(t *testing.T, has uint16, mode string, paused bool, rate, burst, arrival, revision, slowedTo, slowedAt, by, decided string) {
		item := attributes{}
		for i, one := range []struct {
			name  string
			value types.AttributeValue
		}{
			{attrMode, text(mode)}, {attrPaused, boolean(paused)}, {attrRate, ofDigits(rate)}, {attrBurst, ofDigits(burst)},
			{attrArrival, ofDigits(arrival)}, {attrRevision, ofDigits(revision)}, {attrDecidedBy, text(by)}, {attrDecidedAt, ofDigits(decided)},
			{attrSlowedTo, ofDigits(slowedTo)}, {attrSlowedAt, ofDigits(slowedAt)},
		} {
			if has&(1<<i) != 0 {
				item[one.name] = one.value
			}
		}
		s, err := decode(item)
		if err != nil {
			if says := err.Error(); strings.ContainsAny(says, "\n\r") {
				t.Fatalf("%q", says)
			}
			return
		}
		if s.Open() && (mode != string(gate.Delete) || paused || has&3 != 3) {
			t.Fatalf("%v is open: %+v", item, s)
		}
		now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
		if rate := s.RateAt(now); rate > max(s.Rate, 0) {
			t.Fatalf("%v gives %d a second: %+v", item, rate, s)
		}
		if _, grant, err := s.Reserve(100, now); err == nil && (!s.Open() || grant.Slots < 1 || grant.Slots > 100) {
			t.Fatalf("%v gives %+v", item, grant)
		}
		if s.Rate > gate.MaxRate || s.Burst > gate.MaxBurst {
			t.Fatalf("%v is more than anybody may set: %+v", item, s)
		}
		s.Throttled(now)
		if len(item) == 0 || !s.SlowedAt.IsZero() || s.DecidedAt.IsZero() {
			return // what is only there at times is written apart
		}
		again, err := decode(encode(s))
		if d := cmp.Diff(s, again); err != nil || d != "" {
			t.Fatalf("%v\n%s", err, d)
		}
	})
}

func ofDigits(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }
