package purging

import (
	"testing"
	"testing/synctest"
)

// On a virtual clock nothing but the calls takes time, so this is the engine's
// own share, whatever else the machine does. Groups that follow each other
// instead of going side by side come to 58 %, those of one large upload to 6 %.
func TestOverSlowStoresAWorkerReachesMostOfWhatItsConcurrencyAllows(t *testing.T) {
	for _, c := range []struct {
		name               string
		uploads, perUpload int
		least              float64
	}{
		{"uploads of ten objects", BatchSize, 10, 0.8},
		{"small uploads", BatchSize, 1, 0.8},
		{"uploads that fill a delete call each", 24, 1000, 0.25},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := OverSlowStores(t.Context(), c.uploads, c.perUpload)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%.3f s, bound %.3f s: %.1f %%", s.Seconds, s.Bound(), 100*s.Bound()/s.Seconds)
				if reached := s.Bound() / s.Seconds; reached < c.least {
					t.Errorf("%.1f %% of what the concurrency allows, want %.0f %%", 100*reached, 100*c.least)
				}
			})
		})
	}
}
