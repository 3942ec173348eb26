package explanation

import (
	"log/slog"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	commands "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// passing is the scene with the real scheduler's engine and its queue.
type passing struct {
	*scene
	queue *commands.Queue
}

func (s *scene) passing() passing {
	return passing{s, commands.New(s.clock, s.policy.VisibilityTimeout)}
}

// recount keeps the census fresh.
func (s *scene) recount() {
	s.t.Helper()
	_, err := cleanup.Census{Ledger: s.ledger, Now: s.clock, Log: slog.New(slog.DiscardHandler)}.Recount(s.t.Context())
	s.must(err)
}

// pass makes a pass now and returns its report.
func (p passing) pass() cleanup.Report {
	p.t.Helper()
	engine := cleanup.Pass{
		Policy: p.policy, Candidates: p.ledger, Documents: p.ledger, Switch: p.gate, Queue: p.queue,
		Now: p.clock, Log: slog.New(slog.DiscardHandler),
	}
	r, err := engine.Run(p.t.Context(), cleanup.Trigger{Schedule: "every-15m", FireTime: p.now})
	p.must(err)
	return r
}

// published takes what the pass has handed over for the upload.
func (p passing) handed(id upload.ID) (op upload.Operation) {
	p.t.Helper()
	for {
		got, err := p.queue.Receive(p.t.Context(), 10, 0)
		p.must(err)
		if len(got) == 0 {
			return op
		}
		for _, m := range got {
			c, err := command.Decode([]byte(m.Body))
			p.must(err)
			if c.ID == id {
				op = c.Operation
			}
			p.must(p.queue.Acknowledge(p.t.Context(), m.Receipt))
		}
	}
}

// happened is what a pass did with the upload.
func (p passing) happened(id upload.ID) (action upload.Action, op upload.Operation, stuck bool) {
	before := p.record(id)
	p.recount()
	report := p.pass()
	after := p.record(id)
	switch op := p.handed(id); {
	case op != "":
		return upload.Purge, op, false
	case after.State == upload.StateExpired && before.State != upload.StateExpired:
		return upload.Mark, "", false
	case after.State == upload.StateCancelled && before.State != upload.StateCancelled:
		return upload.Fix, "", false
	case report.Tally.Stuck.Uploads > 0:
		return upload.Stuck, "", true
	}
	return upload.Keep, "", false
}

// What explain says must be what happens, and not a minute earlier: a person
// plans by it. Each step is compared with a pass of the real engine at that
// instant, and with one just before it.
func TestWhatIsSaidOfEveryUploadIsWhatThePassesThenDo(t *testing.T) {
	compared := map[string]int{}
	for name, live := range lives {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			id := live(s)
			f, p := s.explain(id), s.passing()
			if f.Future || f.Record.State == upload.StateNone {
				return
			}
			for _, step := range f.Next() {
				if step.From.IsZero() {
					continue
				}
				if before := step.From.Add(-time.Minute); before.After(s.now) {
					s.now = before
					if action, op, _ := p.happened(id); action != upload.Keep {
						t.Fatalf("a minute before %v a pass does: %s %s", step.From, action, op)
					}
				}
				s.now = step.From
				action, op, _ := p.happened(id)
				if action.String() != step.Action || op != step.Operation {
					t.Fatalf("said for %v: %s %s; a pass does: %s %s", step.From, step.Action, step.Operation, action, op)
				}
				compared[action.String()]++
				if op == upload.OpTrim {
					s.do(id, upload.Trim{Version: s.record(id).Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Gone: f.Record.Declared() - 1})
				}
			}
			s.later(40 * 24 * time.Hour)
			if action, op, _ := p.happened(id); len(f.Next()) > 0 && f.Next()[0].From.IsZero() && action != upload.Keep {
				t.Errorf("said that no pass looks at it; a pass does: %s %s", action, op)
			}
		})
	}
	for _, action := range []string{"mark", "repair", "purge", "stuck"} {
		if compared[action] == 0 {
			t.Errorf("no %s was compared", action)
		}
	}
}

func TestAPassThatMeetsActivityInTheFutureStopsAsItIsSaid(t *testing.T) {
	s := newScene(t)
	id := lives["activity in the future"](s)
	next := s.explain(id).Next()
	if len(next) != 1 || next[0].Action != string(cleanup.RunStopped) {
		t.Fatalf("%+v", next)
	}
	s.recount()
	s.must(s.gate.SetMode(t.Context(), gate.Delete))
	// It is due only much later: a pass that met it now would be one that was
	// told so by the index.
	if r := s.passing().pass(); r.State != cleanup.RunDone {
		t.Errorf("a pass that does not meet it: %s, %s", r.State, r.Reason)
	}
}
