package show

import (
	"testing"
	"time"
)

func TestADurationHasNoZerosAtItsEndAndMeansTheSame(t *testing.T) {
	for d, want := range map[time.Duration]string{
		168 * time.Hour: "168h", 90 * time.Minute: "1h30m", 10 * time.Minute: "10m", 10 * time.Second: "10s",
		time.Hour + time.Second: "1h0m1s", 0: "0s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %s, expected %s", d, got, want)
		}
		if again, err := time.ParseDuration(Duration(d)); err != nil || again != d {
			t.Errorf("%v is read as %v, %v", d, again, err)
		}
	}
}
