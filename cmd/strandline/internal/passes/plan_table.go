package passes

import (
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
)

// preview is a preview for people.
func (o Office) preview(v cleanup.Preview, like likeness) error {
	show.Fact(o.Out, "now", show.Instant(v.At))
	show.Fact(o.Out, "gate", gateText(v.Gate))
	show.Fact(o.Out, "census", censusText(v))
	if v.Queued >= 0 {
		show.Fact(o.Out, "queue", fmt.Sprintf("%s messages, of at most %s",
			bytesize.Count(v.Queued), bytesize.Count(o.Pass.Policy.QueueHighWater)))
	}
	if v.Busy.Run != "" {
		show.Fact(o.Out, "running", fmt.Sprintf("%s, until %s at the latest: another pass is refused meanwhile", v.Busy.Run, show.Instant(v.Busy.Until)))
	}
	show.Fact(o.Out, "a pass", would(v))
	for _, note := range v.Notes {
		show.Fact(o.Out, "note", noteText(note))
	}
	show.Fact(o.Out, "policy", like.String())
	if v.Plan == nil {
		return nil
	}
	show.Fact(o.Out, "oldest due", show.Since(v.At, v.Stats.OldestDue))
	if v.Stats.More {
		show.Fact(o.Out, "more", "a pass takes at most its share at once: more than this is due")
	}
	return o.plan(v.Plan, v.Buckets, v.At)
}

func gateText(s gate.State) string {
	if s.Paused {
		return string(s.Mode) + ", paused"
	}
	return string(s.Mode)
}

func censusText(v cleanup.Preview) string {
	if v.Census.All.AsOf.IsZero() {
		return "never counted; \"strandline census recount\" counts it"
	}
	return fmt.Sprintf("%s: %s objects in %s", show.Since(v.At, v.Census.All.AsOf),
		bytesize.Count(v.Census.All.Objects), show.Counted(int64(len(v.Census.Buckets)), "bucket"))
}

// would says what becomes of a pass with this plan.
func would(v cleanup.Preview) string {
	switch v.Would {
	case cleanup.RunReported:
		return "would only report, and write nothing else: the gate is " + closedWord(v.Reason)
	case cleanup.RunPaused:
		return "would be paused, its plan stored until it is approved: " + v.Reason
	case cleanup.RunStopped:
		return "would be stopped: " + v.Reason
	}
	return "would carry this out; workers decide about each upload again"
}

// noteText says in words what keeps a run from all of its plan.
func noteText(note string) string {
	if note == cleanup.SkipHighWater {
		return "the queue is above its high-water mark: a pass stops before it publishes more"
	}
	return note
}

func closedWord(reason string) string {
	if reason == cleanup.SkipReportOnly {
		return "in report-only mode"
	}
	return reason
}

// plan is a plan for people: by action and reason, by tenant, by bucket.
func (o Office) plan(p *cleanup.Plan, buckets []cleanup.BucketVerdict, now time.Time) error {
	shares := p.Shares()
	if len(shares) == 0 {
		_, err := fmt.Fprintln(o.Out, "\nnothing is due")
		return err
	}
	fmt.Fprintln(o.Out)
	if err := actionTable(byAction(shares), p.Stats().Candidates, now).Write(o.Out); err != nil {
		return err
	}
	if tenants := byTenant(shares); len(tenants) > 0 {
		fmt.Fprintln(o.Out)
		if err := tenantTable(tenants, o.Tenants, now).Write(o.Out); err != nil {
			return err
		}
	}
	return o.buckets(buckets, p.Stats().Purges)
}

func actionTable(lines []actionLine, all cleanup.Amount, now time.Time) *show.Table {
	t := show.NewTable("action", "reason", ">uploads", ">objects", ">bytes", "oldest due")
	for _, l := range lines {
		action := l.Action
		if l.Operation != "" {
			action += " (" + string(l.Operation) + ")"
		}
		t.Add(cells([]string{action, l.Reason}, l.Amount, show.Since(now, l.OldestDue))...)
	}
	t.Add(cells([]string{"all", ""}, all, "")...)
	return t
}

func cells(before []string, a cleanup.Amount, after ...string) []string {
	numbers := []string{bytesize.Count(a.Uploads), bytesize.Count(a.Objects), bytesize.Text(a.Bytes)}
	return append(append(before, numbers...), after...)
}

// tenantTable shows the first lines; what the others come to is one line.
func tenantTable(lines []tenantLine, most int, now time.Time) *show.Table {
	t := show.NewTable("tenant", ">purged", ">objects", ">bytes", ">marked", ">repaired", "oldest due")
	add := func(name string, l tenantLine) {
		t.Add(cells([]string{name}, l.Purge, bytesize.Count(l.Mark.Uploads), bytesize.Count(l.Repair.Uploads), show.Since(now, l.OldestDue))...)
	}
	shown := len(lines)
	if most > 0 {
		shown = min(shown, most)
	}
	for _, l := range lines[:shown] {
		add(show.Name(l.Tenant), l)
	}
	if rest := lines[shown:]; len(rest) > 0 {
		sum := tenantLine{}
		for _, l := range rest {
			sum.plus(l)
		}
		add(show.Counted(int64(len(rest)), "other"), sum)
	}
	return t
}

// buckets compares what is planned with the limits; purges, where given, is how
// much that is.
func (o Office) buckets(all []cleanup.BucketVerdict, purges map[string]cleanup.Amount) error {
	if len(all) == 0 {
		return nil
	}
	heads := []string{"bucket", ">to purge", ">in 24 h", ">limit", ">census"}
	if purges != nil {
		heads = append(heads, ">uploads", ">bytes")
	}
	t := show.NewTable(append(heads, "")...)
	for _, b := range all {
		cells := []string{b.Bucket, bytesize.Count(b.Planned), bytesize.Count(b.Recent), bytesize.Count(b.Limit), bytesize.Count(b.Census)}
		if purges != nil {
			a := purges[b.Bucket]
			cells = append(cells, bytesize.Count(a.Uploads), bytesize.Text(a.Bytes))
		}
		over := ""
		if b.Over {
			over = "over its limit"
		}
		t.Add(append(cells, over)...)
	}
	fmt.Fprintln(o.Out)
	return t.Write(o.Out)
}
