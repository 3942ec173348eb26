package upload

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Each file in testdata/stories is one race, told event by event under the
// default policy: what happened, and what became of the record. After a change
// that is meant, rewrite them: go test ./shared/upload -run Stories -rewrite.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		s := &story{p: policy.Default(), commands: map[string]Command{}, reads: map[string]Record{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := s.tell(d)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return strings.TrimRight(out, "\n") + "\n"
		})
	})
}

// story is one upload, a clock, and what its actors remember. Every time is
// told as the time since its first moment.
type story struct {
	p        policy.Policy
	now      time.Duration
	record   Record
	commands map[string]Command
	reads    map[string]Record
	warrant  Warrant
}

var dawn = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (s *story) tell(d *datadriven.TestData) (string, error) {
	a := args{d}
	switch d.Cmd {
	case "at":
		s.now = a.span(d.CmdArgs[0].Key)
		return "it is " + clock(s.now), nil
	case "read":
		s.reads[a.text("as", "stale")] = s.record
		return fmt.Sprintf("version %d", s.record.Version), nil
	case "gathered":
		list, whole := s.record.Manifest.Gathered()
		return fmt.Sprintf("%v, whole: %v", list, whole), nil
	case "pass":
		return s.pass(a), nil
	case "command":
		return s.command(a), nil
	case "chunks":
		return s.chunks(a), nil
	case "check":
		c := s.commands[a.text("name", "c")]
		c.ID.Tenant = a.text("tenant", c.ID.Tenant)
		r := s.record
		r.Schema = int(a.number("schema", int64(r.Schema)))
		got := Check(s.p, r, c, s.instant())
		return verdicts[got.Verdict] + ": " + got.Reason + s.until(got.Until), nil
	case "warrant":
		return s.warranted(a), nil
	case "condemn":
		return s.condemn(a), nil
	}
	e, err := s.event(Kind(d.Cmd), a)
	if err != nil {
		return "", err
	}
	return s.apply(e, a), nil
}

// apply steps and commits. With from=NAME the step is made from an earlier
// read, and the commit shows whether the record is still that.
func (s *story) apply(e Event, a args) string {
	base := s.record
	if from := a.text("from", ""); from != "" {
		base = s.reads[from]
	}
	c, err := Step(s.p, base, e, s.instant())
	switch {
	case err != nil:
		return "refused: " + err.Error()
	case c.Nothing():
		return "nothing to do: it is so already\n" + s.line(s.record)
	case base.Version != s.record.Version:
		return "not written: " + ErrChanged.Error()
	}
	s.record = c.After
	return s.line(c.After) + effects(c.Effects)
}

func (s *story) instant() time.Time { return dawn.Add(s.now) }

// pass is the scheduler's look: it decides, and applies what it may itself.
func (s *story) pass(a args) string {
	d, c := s.decide(a)
	if d == nil {
		return c
	}
	out := d.Action.String() + ": " + d.Reason
	if d.Event == nil {
		return out
	}
	return out + "\n" + string(d.Event.Kind()) + ": " + s.apply(d.Event, a)
}

// chunks is a slow writer: one chunk each time, with a pass at its heels.
func (s *story) chunks(a args) string {
	seen := map[string]int{}
	for end := a.span(a.text("until", "")); s.now < end; {
		s.now += a.span(a.text("every", ""))
		seq := s.record.Manifest.Attempts[len(s.record.Manifest.Attempts)-1].Declared + 1
		s.apply(Declare{Fence: s.record.Fence, Declared: seq}, a)
		s.apply(RecordObject{Fence: s.record.Fence, Seq: seq, VersionID: "v", Size: 5}, a)
		decision, _, _ := strings.Cut(s.pass(a), ":")
		seen[decision]++
	}
	return fmt.Sprintf("passes: %v\n%s", seen, s.line(s.record))
}

func (s *story) decide(a args) (*Decision, string) {
	began := s.instant().Add(a.span(a.text("clock", "0s")))
	d, err := Decide(s.p, s.record, began.Add(-s.p.SafetyMargin), began)
	if err != nil {
		return nil, "the pass stops: " + err.Error()
	}
	return &d, ""
}

// command is what the pass publishes for the worker.
func (s *story) command(a args) string {
	d, stopped := s.decide(a)
	if d == nil {
		return stopped
	}
	if d.Action != Purge {
		return "nothing published: " + d.Action.String() + ", " + d.Reason
	}
	began := s.instant().Add(a.span(a.text("clock", "0s")))
	c := Command{Operation: d.Operation, ID: s.record.ID, Version: s.record.Version, Cutoff: began.Add(-s.p.SafetyMargin)}
	s.commands[a.text("name", "c")] = c
	return fmt.Sprintf("%s version %d, cutoff %s (%s)", c.Operation, c.Version, clock(c.Cutoff.Sub(dawn)), d.Reason)
}

var verdicts = map[Verdict]string{
	DoClaim: "claim", DoReclaim: "reclaim", DoTrim: "trim", DoReopen: "reopen", Drop: "drop", Wait: "wait", Reject: "reject",
}

func (s *story) warranted(a args) string {
	var err error
	if name := a.text("trim", ""); name != "" {
		c := s.commands[name]
		s.warrant, err = s.record.Trimming(s.p, c.Version, c.Cutoff, s.instant())
	} else {
		s.warrant, err = s.record.ClaimedBy(s.p, a.text("token", ""))
	}
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	if s.warrant.Uncertain() {
		b.WriteString("list before deleting\n")
	}
	for _, t := range s.warrant.Targets() {
		version := t.VersionID
		if version == "" {
			version = "not known: list it"
		}
		fmt.Fprintf(&b, "%d. %s version %s\n", t.Ordinal, t.ObjectKey, version)
	}
	return b.String()
}

func (s *story) condemn(a args) string {
	c, err := s.warrant.Condemn(a.text("key", ""), a.text("version", ""))
	if err != nil {
		return "refused: " + err.Error()
	}
	return "may be deleted: " + c.Key() + " version " + c.VersionID()
}

// line is the record in one line: what an actor would want to know of it.
func (s *story) line(r Record) string {
	parts := []string{fmt.Sprintf("%s v%d f%d", r.State, r.Version, r.Fence)}
	add := func(what string, t time.Time) {
		if !t.IsZero() {
			parts = append(parts, what+" "+clock(t.Sub(dawn)))
		}
	}
	add("due", r.DueAt)
	if r.Holder != "" {
		add(r.Holder+" until", r.LeaseUntil)
	}
	add("hold", r.HoldExpiresAt)
	add("leftovers due", r.SupersededDueAt)
	add("parked", r.ParkedAt)
	add("uncertain since", r.UncertainAt)
	if r.Refs > 0 {
		parts = append(parts, fmt.Sprintf("%d references", r.Refs))
	}
	if r.Attempts > 0 {
		parts = append(parts, fmt.Sprintf("%d attempts", r.Attempts))
	}
	if r.Retained.Count > 0 {
		parts = append(parts, fmt.Sprintf("%d retained (%s)%s", r.Retained.Count, r.Retained.Reason, s.until(r.Retained.Until)))
	}
	if r.State == StateDeleting && r.PurgedThrough > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d purged", r.PurgedThrough, r.Manifest.declared()))
	}
	return strings.Join(parts, " · ")
}

func (s *story) until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " until " + clock(t.Sub(dawn))
}

func effects(all []Effect) string {
	var b strings.Builder
	for _, e := range all {
		v := reflect.ValueOf(e)
		fmt.Fprintf(&b, "\n  with %s", v.Type().Name())
		for _, f := range []string{"Limit", "Hash", "Key", "Reference"} {
			if x := v.FieldByName(f); x.IsValid() {
				fmt.Fprintf(&b, " %v", x.Interface())
			}
		}
	}
	return b.String()
}

// clock writes 49h30m as "day 2 01:30".
func clock(d time.Duration) string {
	day := 24 * time.Hour
	rest := d % day
	text := fmt.Sprintf("day %d %02d:%02d", d/day, rest/time.Hour, rest%time.Hour/time.Minute)
	if over := rest % time.Minute; over != 0 {
		text += "+" + over.String()
	}
	return text
}

// args reads what a line of a story says.
type args struct{ d *datadriven.TestData }

func (a args) text(name, otherwise string) string {
	for _, x := range a.d.CmdArgs {
		if x.Key == name && len(x.Vals) > 0 {
			return strings.Join(x.Vals, ",")
		}
	}
	return otherwise
}

func (a args) number(name string, otherwise int64) int64 {
	n, err := strconv.ParseInt(a.text(name, strconv.FormatInt(otherwise, 10)), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("%s: %s is no number", a.d.Pos, name))
	}
	return n
}

// span reads "2d3h15m".
func (a args) span(text string) time.Duration {
	total := time.Duration(0)
	if days, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			panic(fmt.Sprintf("%s: %q is no time", a.d.Pos, text))
		}
		total, text = time.Duration(n)*24*time.Hour, rest
	}
	if text == "" {
		return total
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(fmt.Sprintf("%s: %q is no time", a.d.Pos, text))
	}
	return total + d
}

func (a args) instant(name string) time.Time {
	text := a.text(name, "")
	if text == "" {
		return time.Time{}
	}
	return dawn.Add(a.span(text))
}

// expected reads "1:5:aa,2:7": of each sequence its size, and its SHA-256.
func (a args) expected() []ExpectedObject {
	var all []ExpectedObject
	for _, text := range strings.FieldsFunc(a.text("expect", ""), func(r rune) bool { return r == ',' || r == ' ' }) {
		e := ExpectedObject{Expected: Expected{Stated: true}}
		place, said, _ := strings.Cut(text, ":")
		size, sum, _ := strings.Cut(said, ":")
		var err, err2 error
		e.Seq, err = strconv.Atoi(place)
		e.Size, err2 = strconv.ParseInt(size, 10, 64)
		if err != nil || err2 != nil {
			panic(fmt.Sprintf("%s: %q states nothing", a.d.Pos, text))
		}
		e.Checksum = sum
		all = append(all, e)
	}
	return all
}

// keys reads "1/1,1/2".
func (a args) keys(name string) []Key {
	var all []Key
	for _, text := range strings.FieldsFunc(a.text(name, ""), func(r rune) bool { return r == ',' || r == ' ' }) {
		var k Key
		if _, err := fmt.Sscanf(text, "%d/%d", &k.Attempt, &k.Seq); err != nil {
			panic(fmt.Sprintf("%s: %q is no key", a.d.Pos, text))
		}
		all = append(all, k)
	}
	return all
}
