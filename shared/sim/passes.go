package sim

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// passes is what the witness remembers of schedulers: what they published, and
// which of them did something last.
type passes struct {
	// weights is how many objects a purge of each upload's version stands for, by
	// operation, tenant, upload and version.
	weights map[string]int64
	// sent is what was published without a person's approval, by the same, and
	// when it was last.
	sent map[string]time.Time
	// acting is whose turn it is; done are those whose turn is over.
	acting *process
	done   map[*process]bool
	// largest is the largest census that was ever stored, at its instant last.
	largest int64
	counted time.Time
}

func newPasses() passes {
	return passes{weights: map[string]int64{}, sent: map[string]time.Time{}, done: map[*process]bool{}}
}

// lookLasts is how long a pass publishes under one look at the gate: what it
// takes between that look and the call that sends.
const lookLasts = 10*time.Second + 2*callTimeout

// weigh notes what a version of a record would weigh in a plan.
func (w *witness) weigh(r upload.Record) {
	superseded, _ := r.Superseded()
	for _, op := range []upload.Operation{upload.OpClaim, upload.OpReclaim, upload.OpReopen} {
		w.passes.weights[words(string(op), r.Tenant, r.Upload, r.Version)] = r.Objects
	}
	w.passes.weights[words(string(upload.OpTrim), r.Tenant, r.Upload, r.Version)] = superseded
}

// acts judges that a scheduler writes or publishes something: the gate was open
// when its invocation began, and no other pass is at it.
func (w *witness) acts(p *process, what string) {
	if !strings.Contains(p.host.name, "scheduler") {
		return
	}
	if !w.shutAt.IsZero() && p.began.After(w.shutAt) {
		w.breaks("gate", "%s by a pass that began %v after the gate was closed", what, p.began.Sub(w.shutAt))
	}
	all := &w.passes
	if all.acting == p {
		return
	}
	if all.done[p] {
		w.breaks("lease", "%s by %s, and another pass has begun meanwhile", what, p.host.name)
	}
	if all.acting != nil {
		all.done[all.acting] = true
	}
	all.acting = p
}

// publishes judges commands that the queue is given: they are no more in a day
// than what may go without a person, by a census that is not too old.
func (w *witness) publishes(p *process, all []upload.Command) {
	w.acts(p, "publishing")
	if !w.shutAt.IsZero() && p.since.After(w.shutAt.Add(lookLasts)) {
		w.breaks("gate", "a pass published %v after the gate was closed", p.since.Sub(w.shutAt))
	}
	for _, c := range all {
		key := words(string(c.Operation), c.ID.Tenant, c.ID.Upload, c.Version)
		w.published[key] = true
		if !p.approved {
			w.passes.sent[key] = w.world.now()
		}
	}
	if !p.approved {
		w.judged(p)
	}
}

// judged is what holds of a pass that nobody has approved.
func (w *witness) judged(p *process) {
	w.readCensus()
	if age := p.began.Sub(w.passes.counted); age > w.world.policy.CensusMaxAge+2*maxDrift {
		w.breaks("census", "a pass published, and its census was %v old", age)
	}
	sum, now := int64(0), w.world.now()
	for key, at := range w.passes.sent {
		if now.Sub(at) < 24*time.Hour-2*maxDrift-lookLasts {
			sum += w.passes.weights[key]
		}
	}
	if limit := cleanup.DailyLimit(w.world.policy, w.passes.largest); sum > limit {
		w.breaks("limit", "%d object versions were published in a day, and without a person no more than %d may be", sum, limit)
	}
}

// readCensus notes the census as it is stored.
func (w *witness) readCensus() {
	c, err := cleanup.Census{Ledger: w.world.ledger, Now: w.world.now, Log: w.world.log()}.Read(context.Background())
	w.world.must(err)
	w.passes.counted = c.All.AsOf
	for _, b := range c.Buckets {
		w.passes.largest = max(w.passes.largest, b.Objects)
	}
}

// approval is one that a person gave, or might have given.
type approval struct {
	run, digest string
	paused      time.Time
	used        bool
}

// approvableFor is how long a paused plan can be approved.
const approvableFor = 24 * time.Hour

// mayNot says why an approval must be refused; nothing if it need not be.
func (a approval) mayNot(digest string, now time.Time) string {
	switch {
	case digest != a.digest:
		return "of another digest"
	case a.used:
		return "that was used before"
	case now.Sub(a.paused) > approvableFor+2*maxDrift:
		return fmt.Sprintf("%v after its pause", now.Sub(a.paused))
	}
	return ""
}
