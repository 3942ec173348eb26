package sim

import (
	"context"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// forgedRun is the run that forged commands name.
const forgedRun = "forged"

// imposture sends commands that no pass would send, or not yet: whoever may send
// to the queue may say anything. Workers believe the ledger, so that nothing is
// condemned by them before it might be.
func (w *world) imposture(name string) {
	p := w.host(name, 0, false).boot()
	for range w.draw(name, 40) {
		if !p.sleep(time.Duration(1+w.draw(name, 120))*time.Minute) || !w.stormy() {
			return
		}
		if all := w.ripening(); len(all) > 0 && w.draw(name, 4) > 0 {
			w.impose(name, all[w.draw(name, len(all))])
		} else if all = w.witness.all(); len(all) > 0 {
			w.impose(name, all[w.draw(name, len(all))])
		}
	}
}

// ripening are the uploads that only time keeps from being claimed.
func (w *world) ripening() []upload.Record {
	return slices.DeleteFunc(w.witness.all(), func(r upload.Record) bool {
		return r.State != upload.StateExpired && r.State != upload.StateCancelled
	})
}

func (w *world) impose(name string, r upload.Record) {
	operations := [...]upload.Operation{upload.OpClaim, upload.OpClaim, upload.OpTrim, upload.OpReclaim, upload.OpReopen}
	ages := [...]time.Duration{0, time.Second, 5 * time.Minute, 10 * time.Hour, -w.policy.SafetyMargin - time.Hour}
	c := upload.Command{
		Run: forgedRun, Operation: operations[w.draw(name, len(operations))], ID: r.ID, Version: r.Version,
		Cutoff: w.now().Add(-w.policy.SafetyMargin - ages[w.draw(name, len(ages))]).Truncate(time.Millisecond), Reason: "said so",
	}
	if c.Version > 1 && w.draw(name, 4) == 3 {
		c.Version--
	}
	w.say(name, "sends a forged %s of %s, version %d", c.Operation, r.Upload, c.Version)
	w.count("forged command")
	w.witness.published[words(string(upload.OpClaim), r.Tenant, r.Upload, c.Version)] = true
	_, err := w.queue.Send(context.Background(), []upload.Command{c})
	w.must(err)
}
