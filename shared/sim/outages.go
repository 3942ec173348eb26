package sim

import "time"

// fail has whole services fail for a while: whatever is asked of them then.
func (w *world) fail(name string) {
	p := w.host(name, 0, false).boot()
	for range w.draw(name, 5) {
		if !p.sleep(time.Duration(1+w.draw(name, 500))*time.Minute) || !w.stormy() {
			return
		}
		ways := [...]way{throttled, timeout, denied, part}
		how := ways[w.draw(name, len(ways))]
		w.say(name, "from now on deletes are %s", how)
		w.outage = how
		w.count("outage")
		p.sleep(time.Duration(1+w.draw(name, 400)) * time.Minute)
		w.say(name, "deletes work again")
		w.outage = asked
	}
}
