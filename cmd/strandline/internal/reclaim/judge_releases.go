package reclaim

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/gate"
)

func (j *judge) last() {
	if unseen(j, CheckLast, j.source.Last, "dynamodb:GetItem", func() {}) {
		return
	}
	s := j.source.Last.Got
	switch {
	case s.LastEvent.IsZero() && s.SeenAt.IsZero():
		j.note(CheckLast, "the relay has seen none: try it, delete a row that nobody needs")
	case s.LastEvent.IsZero():
		j.ok(CheckLast, "taken %s", show.Since(j.facts.Now, s.SeenAt))
	default:
		j.ok(CheckLast, "%s", show.Since(j.facts.Now, s.LastEvent))
	}
}

// pending: what is released waits for ReleaseGrace, a pass and a worker. Longer
// than that something is in its way.
func (j *judge) pending() {
	if unseen(j, CheckPending, j.facts.Waiting, "dynamodb:Query", func() {}) {
		return
	}
	w := j.facts.Waiting.Got[j.source.Name]
	if w.Count == 0 {
		j.ok(CheckPending, "no release waits")
		return
	}
	says := show.CountedAs(w.Count, "release waits", "releases wait") + ", the oldest came " + show.Since(j.facts.Now, w.Oldest)
	switch g := j.facts.Gate; {
	case !g.Seen:
		j.note(CheckPending, "%s; the gate was not seen", says)
	case !g.Got.Open():
		j.note(CheckPending, "%s: the gate is %s, nothing is deleted", says, closedWord(g.Got))
	case j.facts.Now.Sub(w.Oldest) > j.overdue():
		j.add(CheckPending, Weak, "strandline explain says what keeps it; strandline runs list whether passes run", "%s", says)
	default:
		j.ok(CheckPending, "%s", says)
	}
}

func closedWord(g gate.State) string {
	if g.Paused {
		return "paused"
	}
	return "in report-only"
}

// overdue is how long a release may wait: its grace, and what a row that still
// names it, or a lost message, may cost until it is looked at again, twice.
func (j *judge) overdue() time.Duration {
	p := j.facts.Policy
	return p.ReleaseGrace + p.SafetyMargin + p.PassEvery + 2*p.RepublishAfter
}

func (j *judge) parked() {
	before := len(j.all)
	if !unseen(j, CheckParked, j.facts.Dead, "sqs:ReceiveMessage, sqs:ChangeMessageVisibility", func() {
		j.add(CheckParked, Unchecked, "name it with --releases-dead-url", "there is no queue of the releases' dead letters")
	}) {
		j.letters()
	}
	if j.facts.Waiting.Seen {
		if n := j.facts.Waiting.Got[j.source.Name].Parked; n > 0 {
			j.add(CheckParked, Weak, "strandline parked list shows why; then strandline parked retry",
				"%s: the purge's attempts are used up", show.CountedAs(n, "release waits for a person", "releases wait for a person"))
		}
	}
	if len(j.all) == before {
		j.ok(CheckParked, "nothing")
	}
}

func (j *judge) letters() {
	d := j.facts.Dead.Got
	const mend = "strandline dlq list --queue releases shows why; mend the row or the mapping, and send it again"
	if n := d.BySource[j.source.Name]; n > 0 {
		j.add(CheckParked, Weak, mend, "%s, and wait for a person", show.CountedAs(n, "release could not be read", "releases could not be read"))
	}
	if n := d.BySource[""]; n > 0 {
		j.add(CheckParked, Weak, mend, "%s of no known source among the releases' dead letters", show.CountedAs(n, "letter is", "letters are"))
	}
	if d.Partial {
		j.add(CheckParked, Unchecked, "run audit again in a quarter of an hour, or look with strandline dlq list --queue releases", "not all dead letters were seen")
	}
}

// orphans: what nobody owns and looks like the source's was left by a row that
// went unseen.
func (j *judge) orphans() {
	if j.source.Table == "" {
		j.note(CheckOrphans, "nobody knows how the keys of an outbox look: strandline holds list shows what nobody owns")
		return
	}
	if unseen(j, CheckOrphans, j.source.Orphans, "dynamodb:Query", func() {}) {
		return
	}
	o := j.source.Orphans.Got
	switch {
	case o.Count > 0:
		j.add(CheckOrphans, Weak, "strandline holds list shows them; a person decides", "%s like its keys, by the inventory of %s",
			show.CountedAs(o.Count, "object that nobody owns looks", "objects that nobody owns look"), show.Moment(o.AsOf, j.facts.Now))
	case o.AsOf.IsZero():
		j.note(CheckOrphans, "no inventory of its bucket was compared yet")
	default:
		j.ok(CheckOrphans, "none looks like its keys, by the inventory of %s", show.Moment(o.AsOf, j.facts.Now))
	}
}
