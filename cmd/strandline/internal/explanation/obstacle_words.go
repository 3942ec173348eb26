package explanation

import (
	"cmp"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Kept is what keeps the upload from one event that leads to deletion.
type Kept struct {
	Event upload.Kind `json:"event"`
	From  string      `json:"from"`
	// Guards are the core's own names of what does not hold, Words say why.
	Guards []string `json:"guards"`
	Words  []string `json:"words"`
}

// froms say what each event would do.
var froms = map[upload.Kind]string{
	upload.KindExpire:  "from being marked as expired",
	upload.KindRepair:  "from being cancelled as timed out",
	upload.KindClaim:   "from being claimed for deletion",
	upload.KindTrim:    "what it does not list from being deleted",
	upload.KindReclaim: "another worker from taking it over",
	upload.KindReopen:  "from being looked at again",
}

// otherKind names the guards by which an event is one for uploads of another
// kind: with a hold, or without.
var otherKind = map[string]bool{"there is a hold": true, "there is no hold": true}

// Keeps says what keeps the upload now, event by event. An event that does not
// concern it is left out; so is one that nothing stands against.
func (f Facts) Keeps() []Kept {
	if f.Future || f.Record.Schema > upload.Schema {
		return nil
	}
	var all []Kept
	foreign := map[upload.Kind]bool{}
	for _, o := range f.Obstacles {
		foreign[o.Event] = foreign[o.Event] || otherKind[o.Guard]
	}
	for _, o := range f.Obstacles {
		if foreign[o.Event] || f.pointless(o) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Event != o.Event {
			all = append(all, Kept{Event: o.Event, From: cmp.Or(froms[o.Event], "from "+string(o.Event))})
		}
		last := &all[len(all)-1]
		last.Guards = append(last.Guards, o.Guard)
		last.Words = append(last.Words, f.obstacle(o))
	}
	return all
}

// pointless reports an obstacle that says no more than the state: nothing is
// superseded, nothing is retained, it is parked.
func (f Facts) pointless(o upload.Obstacle) bool {
	switch r := f.Record; o.Event {
	case upload.KindTrim:
		return r.SupersededDueAt.IsZero()
	case upload.KindReopen:
		return r.Retained.Count == 0
	case upload.KindReclaim:
		return !r.ParkedAt.IsZero()
	}
	return false
}

// thenMargin follows an instant at which something ends that keeps the upload.
// Where that is past already, the margin alone keeps it.
func (f Facts) thenMargin(end time.Time) string {
	if end.IsZero() || end.After(f.Now) {
		return ""
	}
	return fmt.Sprintf(", and passes wait %s (SafetyMargin) more", span(f.Policy.SafetyMargin))
}

// dueAt says when what is waited for is due.
func (f Facts) dueAt(due time.Time) string {
	return show.Instant(due) + cmp.Or(f.thenMargin(due), ", and not before")
}

// obstacleWords are what each guard of the core means when it does not hold.
var obstacleWords = map[string]func(Facts) string{
	"the policy is at or above its floors": func(Facts) string {
		return "the policy here is below its floors, and nothing may be condemned under it"
	},
	"the version is the one the command saw": func(Facts) string { return "it has changed since it was looked at" },
	"the cutoff is a safety margin ago": func(f Facts) string {
		return fmt.Sprintf("what happened in the last %s (SafetyMargin) is not judged", span(f.Policy.SafetyMargin))
	},
	"there is no hold": func(Facts) string { return "it has a hold" },
	"there is a hold":  func(Facts) string { return "it has no hold" },
	"the hold was over at the cutoff": func(f Facts) string {
		return fmt.Sprintf("its hold lasts until %s", show.Instant(f.Record.HoldExpiresAt)) + f.thenMargin(f.Record.HoldExpiresAt)
	},
	"the activity grace was over at the cutoff": func(f Facts) string {
		r, p := f.Record, f.Policy
		until := r.LastActivityAt.Add(p.ActivityGrace)
		return fmt.Sprintf("its writer was active at %s, and is left alone for %s (ActivityGrace): until %s",
			show.Instant(r.LastActivityAt), span(p.ActivityGrace), show.Instant(until)) + f.thenMargin(until)
	},
	"the deadline was over at the cutoff": func(f Facts) string {
		return fmt.Sprintf("its writer's puts may last until its deadline, %s", show.Instant(f.Record.DeadlineAt)) + f.thenMargin(f.Record.DeadlineAt)
	},
	"the deadline and the release grace were over at the cutoff": func(f Facts) string {
		r, p := f.Record, f.Policy
		return fmt.Sprintf("puts may land until its deadline, %s, and %s (ReleaseGrace) after that",
			show.Instant(r.DeadlineAt), span(p.ReleaseGrace)) + f.thenMargin(r.DeadlineAt.Add(p.ReleaseGrace))
	},
	"the second grace was over at the cutoff": func(f Facts) string {
		r, p := f.Record, f.Policy
		until := r.ExpiredAt.Add(p.SecondGrace)
		return fmt.Sprintf("it was marked at %s, and waits for %s (SecondGrace): until %s",
			show.Instant(r.ExpiredAt), span(p.SecondGrace), show.Instant(until)) + f.thenMargin(until)
	},
	"there is no live reference": func(f Facts) string { return "it has " + show.Counted(f.Record.Refs, "live reference") },
	"it was due at the cutoff": func(f Facts) string {
		return "it is due at " + f.dueAt(f.Record.DueAt)
	},
	"the lease is over": func(f Facts) string {
		return fmt.Sprintf("%s holds it until %s", cmp.Or(show.Name(f.Record.Holder), "somebody"), show.Instant(f.Record.LeaseUntil))
	},
	"superseded objects were due at the cutoff": func(f Facts) string {
		return "they are due at " + f.dueAt(f.Record.SupersededDueAt)
	},
	"every superseded object is gone, or retained for a reason": func(Facts) string {
		return "not every superseded object is accounted for"
	},
	"it is not parked": func(Facts) string { return "it is parked" },
	"a retention is over, or an object of it was seen": func(f Facts) string {
		if f.Record.Retained.Until.IsZero() {
			return "what is retained has no date, and no reconciliation has asked for it"
		}
		return fmt.Sprintf("what is retained is kept until %s", show.Instant(f.Record.Retained.Until))
	},
}

func (f Facts) obstacle(o upload.Obstacle) string {
	if words := obstacleWords[o.Guard]; words != nil {
		return words(f)
	}
	return "not so: " + o.Guard
}
