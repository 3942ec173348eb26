package sim

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// operate is a person who pauses, resumes, and changes the rate now and then.
func (w *world) operate(name string) {
	h := w.host(name, 0, false)
	p, ctx := h.boot(), context.Background()
	for range w.draw(name, 5) {
		if !p.sleep(time.Duration(1+w.draw(name, 600))*time.Minute) || !w.stormy() {
			break
		}
		switch w.draw(name, 4) {
		case 0:
			w.say(name, "pauses")
			w.must(w.gate.Pause(ctx))
			w.witness.shut(true)
			p.sleep(time.Duration(1+w.draw(name, 300)) * time.Minute)
			w.say(name, "resumes")
			w.must(w.gate.Resume(ctx))
			w.witness.shut(false)
		case 1:
			w.say(name, "sets report-only")
			w.must(w.gate.SetMode(ctx, gate.ReportOnly))
			w.witness.shut(true)
			p.sleep(time.Duration(1+w.draw(name, 300)) * time.Minute)
			w.say(name, "sets delete")
			w.must(w.gate.SetMode(ctx, gate.Delete))
			w.witness.shut(false)
		case 2:
			w.say(name, "sets another rate")
			w.must(w.gate.SetRate(ctx, 1+w.draw(name, 100), 1+w.draw(name, 100)))
		default:
			w.unpark(p)
		}
		w.count("operated")
	}
	w.must(w.gate.Resume(ctx))
	w.must(w.gate.SetMode(ctx, gate.Delete))
	w.witness.shut(false)
}

// approve lets a paused run's plan go, if the person looks at it at all.
func (w *world) approve(f *function, report *cleanup.Report) {
	if report == nil || report.State != cleanup.RunPaused {
		return
	}
	if w.stormy() && w.draw("operator approves", 2) == 1 {
		return
	}
	p := f.boot()
	app, err := w.scheduler(p)
	w.must(err)
	f.invoke(p, func(ctx context.Context) { _, err = app.Approve(ctx, report.Run, report.Digest, "operator") })
	if err == nil {
		w.count("approved")
	}
}

// unpark lets every parked purge go on.
func (w *world) unpark(p *process) {
	for _, id := range w.witness.uploads() {
		r, err := w.ledger.Load(context.Background(), id)
		w.must(err)
		if r.State != upload.StateDeleting || r.ParkedAt.IsZero() {
			continue
		}
		if _, err := cleanup.Unpark(context.Background(), w.ledgerOf(p), w.policy, id, p.host.Now()); err == nil {
			w.count("unparked")
		}
	}
}
