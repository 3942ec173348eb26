package reclaim

import (
	"reflect"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/source"
)

// Judge says what the facts mean, source by source. It asks nobody and reads no
// clock.
func Judge(f Facts) []Judged {
	all := make([]Judged, len(f.Sources))
	for i, s := range f.Sources {
		j := &judge{facts: f, source: s}
		if s.Table != "" {
			j.stream()
			j.mapping()
		} else {
			j.queue()
		}
		j.told()
		j.index()
		j.last()
		j.pending()
		j.parked()
		j.orphans()
		order := Checks()
		slices.SortStableFunc(j.all, func(a, b Evidence) int {
			return slices.Index(order, a.Check) - slices.Index(order, b.Check)
		})
		all[i] = Judged{Name: s.Name, Table: s.Table, Verdict: j.verdict(), Evidence: j.all}
	}
	return all
}

const bothImages = "NEW_AND_OLD_IMAGES"

// stream: without it nobody learns that a row went, and without both images not
// what it named, or that another image still names it.
func (j *judge) stream() {
	s := j.source
	turnOn := "aws dynamodb update-table --table-name " + s.Table +
		" --stream-specification StreamEnabled=true,StreamViewType=" + bothImages + ", then deploy with the new stream"
	if unseen(j, CheckStream, s.Stream, "dynamodb:DescribeTable", func() {
		j.add(CheckStream, Gap, "name the source's table, in this account and region", "there is no table %s", s.Table)
	}) {
		return
	}
	switch view := s.Stream.Got.View; view {
	case bothImages:
		j.ok(CheckStream, "on, with new and old images")
	case "":
		j.add(CheckStream, Gap, turnOn, "it is off: nobody learns that a row goes")
		return
	default:
		j.add(CheckStream, Gap, "turn it off, and "+turnOn, "it carries %s: old and new images are both needed", view)
	}
	j.readers(s.Readers, "its stream")
}

func (j *judge) queue() {
	if unseen(j, CheckQueue, j.facts.Queue, "sqs:GetQueueAttributes", func() {
		j.add(CheckQueue, Gap, "deploy with this source, or name the queue with --releases-url", "there is no queue of releases")
	}) {
		return
	}
	q := j.facts.Queue.Got
	j.ok(CheckQueue, "%s: %s", q.Name, show.Counted(q.Depth, "release"))
	j.readers(j.facts.QueueReaders, "the queue")
}

// readers: somebody has to take from the stream or queue, and it has to be the
// relay.
func (j *judge) readers(l checkup.Look[[]Reader], of string) {
	if unseen(j, CheckReader, l, "lambda:ListEventSourceMappings", func() {}) {
		return
	}
	i := slices.IndexFunc(l.Got, func(r Reader) bool { return r.Function == j.facts.RelayName })
	if i < 0 {
		j.add(CheckReader, Gap, "deploy with this source", "no relay reads %s", of)
		return
	}
	r := l.Got[i]
	if r.State != "Enabled" {
		j.add(CheckReader, Gap, "aws lambda update-event-source-mapping --enabled, or deploy again", "%s reads %s, and is %s", r.Function, of, strings.ToLower(r.State))
		return
	}
	if strings.HasPrefix(r.Says, "PROBLEM") {
		j.add(CheckReader, Weak, "look at the relay's log and its errors", "%s could not take the last batch: %s", r.Function, show.Short(r.Says))
	}
	if !r.ByNumber {
		j.add(CheckReader, Weak, "deploy again: ReportBatchItemFailures", "%s does not report failed records by number: one that fails repeats all", r.Function)
		return
	}
	j.ok(CheckReader, "%s, enabled", r.Function)
}

// told: what the functions read rows by is what was deployed, not what this
// command was given.
func (j *judge) told() {
	before := len(j.all)
	for _, who := range []struct {
		name  string
		look  checkup.Look[Told]
		level Level
		means string
	}{
		{"relay", j.facts.Relay, Gap, "nothing of it is released"},
		{"worker", j.facts.Worker, Weak, "its rows are not asked before a deletion"},
	} {
		if unseen(j, CheckTold, who.look, "lambda:GetFunctionConfiguration", func() {
			j.add(CheckTold, who.level, "deploy with this source, or say what the functions' names begin with: --prefix", "there is no %s", who.name)
		}) {
			continue
		}
		j.toldTo(who.name, who.look.Got, who.level, who.means)
	}
	if len(j.all) == before {
		j.ok(CheckTold, "relay and worker are told the same")
	}
}

func (j *judge) toldTo(name string, t Told, level Level, means string) {
	const again = "deploy with these sources"
	deployed, known := source.ByName(t.Sources, j.source.Name)
	switch {
	case t.Wrong != "":
		j.add(CheckTold, level, again, "the %s cannot read its sources: %s", name, show.Short(t.Wrong))
	case !known && (level == Gap || j.source.Index != nil):
		j.add(CheckTold, level, again, "the %s is not told of it: %s", name, means)
	case known && !reflect.DeepEqual(deployed, j.source.Source):
		j.add(CheckTold, Weak, again+", or audit those that are deployed", "the %s is told otherwise than this command", name)
	}
}
