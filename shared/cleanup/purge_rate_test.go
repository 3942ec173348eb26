package cleanup_test

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// wantRate expects that between two instants, counted from the beginning, as
// many deletes began as the rate gives, within so many percent.
func (w *rateWorld) wantRate(from, to time.Duration, rate, percent int) {
	w.t.Helper()
	began := w.started(w.began.Add(from), w.began.Add(to))
	want := rate * int((to-from)/time.Second)
	if off := began - want; max(off, -off)*100 > want*percent {
		w.t.Errorf("from %s to %s %d deletes began, want %d within %d %%", from, to, began, want, percent)
	}
}

// wantSparse expects that no second had more than rate and burst, that the gate
// was written to once for a hundred deletes at most, and that nothing began that
// no slot was given for.
func (w *rateWorld) wantSparse(rate, burst int) {
	w.t.Helper()
	if most := w.busiestSecond(); most > rate+burst {
		w.t.Errorf("%d deletes began within one second: rate and burst are %d", most, rate+burst)
	}
	all := w.started(w.began, time.Now())
	w.t.Logf("%d deletes in %d calls began, at most %d in a second; the gate was written to %d times, %d of them for nothing",
		all, len(w.starts), w.busiestSecond(), w.writes, w.lost)
	if w.writes*100 > all {
		w.t.Errorf("the gate was written to %d times for %d deletes", w.writes, all)
	}
	if all > w.slots-w.dead {
		w.t.Errorf("%d deletes began, %d slots were given, and %d of them to a worker that died", all, w.slots, w.dead)
	}
}

// reduced bounds are for the race detector.
var reduced = os.Getenv("STRANDLINE_BOUNDS") == "reduced"

// Were a block good for one group only, each batch of ten would be a write to
// the one item that all workers share: a hundred a second.
func TestEightWorkersWithSmallUploadsShareTheRateAndWriteOncePerHundred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, burst = 1000, 1000
		w := newRateWorld(t, rate, burst, func(int) int { return 1 })
		w.crew(8, 10, w.began.Add(20*time.Second)).Wait()
		w.wantRate(5*time.Second, 20*time.Second, rate, 2)
		w.wantSparse(rate, burst)
	})
}

// Deletes begin later than their slots. Were a call as large as the whole burst,
// what is late would come on top of it.
func TestEightWorkersWithTheLargestCallsKeepToRateAndBurst(t *testing.T) {
	type limits struct{ rate, burst int }
	each := []limits{{200, 400}, {1000, 1000}}
	if reduced {
		each = each[:1]
	}
	for _, c := range each {
		t.Run(fmt.Sprintf("%d a second, %d at once", c.rate, c.burst), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newRateWorld(t, c.rate, c.burst, func(n int) int {
					if n%100 == 0 {
						return c.burst
					}
					return 1 + n*37%(c.rate/10)
				})
				w.crew(8, 20, w.began.Add(3*time.Minute)).Wait()
				if most := w.busiestSecond(); most > c.rate+c.burst {
					t.Errorf("%d deletes began within one second", most)
				} else {
					t.Logf("at most %d deletes began within one second", most)
				}
			})
		})
	}
}

// Seven minutes of eight workers with a backlog of all sizes. After half a minute
// one of them dies with a block in its hands; after two the store throttles
// everybody for three seconds.
//
// Without the shared slowdown each goes on at the rate that the store has just
// refused; without the episode all eight halve it. Without the rise in quiet one
// bad second slows cleanup for good.
func TestEightWorkersShareTheRateADeathASlowdownAndItsEnd(t *testing.T) {
	rate := 1000
	if reduced {
		rate = 200
	}
	synctest.Test(t, func(t *testing.T) {
		w := newRateWorld(t, rate, 2*rate, func(n int) int {
			if n%100 == 0 {
				return 2 * rate // more than one call, and than one block
			}
			return 1 + n*37%(rate/10)
		})
		const dies, throttles, rises, whole, end = 30 * time.Second, 130 * time.Second, 150 * time.Second, 290 * time.Second, 410 * time.Second
		crew := w.crew(8, 20, w.began.Add(end))
		w.at(dies, func() { w.dies = "worker-8" })
		w.at(throttles, func() { w.throttling = time.Now().Add(3 * time.Second) })
		w.at(throttles+3*time.Second, func() {})
		slowed, err := w.gate.Read(t.Context())
		must(t, err)
		if slowed.SlowedTo != rate/2 {
			t.Errorf("after the throttles the rate is %d of %d", slowed.SlowedTo, rate)
		}
		crew.Wait()

		w.wantRate(10*time.Second, throttles, rate, 2)
		for from := rises; from < rises+2*time.Minute; from += 40 * time.Second {
			// What begins in the middle was reserved up to five seconds before. Half of
			// the rate is left, and each second gives back a 300th of all of it.
			quiet := int((from + 17*time.Second - throttles) / time.Second)
			w.wantRate(from, from+40*time.Second, rate/2+rate*quiet/300, 8)
		}
		w.wantRate(whole, end, rate, 2)
		if again, err := w.gate.Read(t.Context()); err != nil || again.SlowedAt != slowed.SlowedAt {
			t.Errorf("it was slowed again at %s (%v)", again.SlowedAt, err)
		}
		w.wantSparse(rate, 2*rate)
		if late := w.started(w.began.Add(end+time.Minute), time.Now()); late > 0 || w.dead == 0 {
			t.Errorf("%d deletes began under %d slots of a worker that was gone for an hour", late, w.dead)
		}
	})
}
