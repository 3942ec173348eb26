package explanation

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	commands "github.com/strandline-dev/strandline/shared/command/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// running makes the installation one whose census is fresh, and whose last pass
// ran ten minutes ago, over nothing.
func (s *scene) running() {
	s.t.Helper()
	log := slog.New(slog.DiscardHandler)
	_, err := cleanup.Census{Ledger: s.ledger, Now: s.clock, Log: log}.Recount(s.t.Context())
	s.must(err)
	s.later(-10 * time.Minute)
	nothing := cleanup.Pass{
		Policy: s.policy, Candidates: ledgers.New(), Documents: s.ledger, Switch: s.gate,
		Queue: commands.New(s.clock, s.policy.VisibilityTimeout), Now: s.clock, Log: log,
	}
	_, err = nothing.Run(s.t.Context(), cleanup.Trigger{Schedule: "every-15m", FireTime: s.now})
	s.must(err)
	s.later(10 * time.Minute)
}

func (s *scene) claimed(id upload.ID) upload.Record {
	s.t.Helper()
	r := s.do(id, upload.Cancel{Fence: s.record(id).Fence, Reason: "the writer gave up"})
	s.now = r.DueAt.Add(time.Hour)
	return s.do(id, upload.Claim{Version: r.Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Worker: "worker-7", Token: "t-0"})
}

func (s *scene) record(id upload.ID) upload.Record {
	s.t.Helper()
	r, err := s.ledger.Load(s.t.Context(), id)
	s.must(err)
	return r
}

// published completes the upload with its first key.
func (s *scene) published(id upload.ID, hold time.Time) {
	s.t.Helper()
	s.do(id, upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}, HoldUntil: hold})
}

// lives are uploads in every state, and in every state that says more.
var lives = map[string]func(*scene) upload.ID{
	"receiving": func(s *scene) upload.ID { return s.reserve() },
	"receiving with a hold, its lease over": func(s *scene) upload.ID {
		id := s.reserve(held(s.now.Add(72 * time.Hour)))
		s.later(time.Hour)
		return id
	},
	"receiving, about to time out": func(s *scene) upload.ID {
		id := s.reserve()
		s.later(30*time.Hour + 10*time.Minute)
		return id
	},
	"assembling": func(s *scene) upload.ID {
		id := s.reserve()
		s.do(id, upload.BeginAssembly{Fence: 1})
		return id
	},
	"assembling, stuck": func(s *scene) upload.ID {
		id := s.reserve()
		s.do(id, upload.BeginAssembly{Fence: 1})
		s.later(30 * time.Hour)
		return id
	},
	"complete, permanent": func(s *scene) upload.ID {
		id := s.reserve(func(e *upload.Reserve) { e.Declared = 1 })
		s.published(id, time.Time{})
		return id
	},
	"complete with a hold and superseded objects": func(s *scene) upload.ID {
		id := s.reserve()
		s.published(id, s.now.Add(48*time.Hour))
		return id
	},
	"complete with a reference": func(s *scene) upload.ID {
		id := s.reserve(func(e *upload.Reserve) { e.Declared = 1 })
		s.published(id, s.now.Add(48*time.Hour))
		gone := upload.Reference{Source: "posts", Entity: "16"}
		s.do(id, upload.AddReference{Reference: upload.Reference{Source: "posts", Entity: "17"}}, upload.AddReference{Reference: gone}, upload.DropReference{Reference: gone})
		s.later(24 * time.Hour)
		return id
	},
	"complete and trimmed, a part of it locked": func(s *scene) upload.ID {
		id := s.reserve()
		s.published(id, time.Time{})
		s.now = s.record(id).SupersededDueAt.Add(time.Hour)
		s.do(id, upload.Trim{
			Version: s.record(id).Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Gone: 1,
			Retained: upload.Retained{Count: 1, Until: s.now.Add(240 * time.Hour), Reason: "object lock"},
		})
		return id
	},
	"cancelled": func(s *scene) upload.ID {
		id := s.reserve()
		s.do(id, upload.Cancel{Fence: 1, Reason: "the user went away"})
		return id
	},
	"cancelled and due": func(s *scene) upload.ID {
		id := s.reserve()
		s.now = s.do(id, upload.Cancel{Fence: 1}).DueAt.Add(10 * time.Minute)
		return id
	},
	"cancelled, complete before": func(s *scene) upload.ID {
		id := s.reserve(func(e *upload.Reserve) { e.Declared = 1 })
		s.published(id, time.Time{})
		s.do(id, upload.Release{Owner: "alice", Reason: "deleted in the shop"})
		return id
	},
	"an approved orphan": orphan,
	"an approved orphan that was restored": func(s *scene) upload.ID {
		id := orphan(s)
		s.do(id, upload.Withdraw{Reason: "restored by ann"})
		return id
	},
	"expired": func(s *scene) upload.ID {
		id := s.reserve(held(s.now.Add(2 * time.Hour)))
		s.later(26 * time.Hour)
		s.do(id, upload.Expire{Version: s.record(id).Version, Cutoff: s.now.Add(-s.policy.SafetyMargin)})
		return id
	},
	"deleting, its claim alive": func(s *scene) upload.ID {
		id := s.reserve()
		s.claimed(id)
		s.later(time.Minute)
		return id
	},
	"deleting, its worker dead": func(s *scene) upload.ID {
		id := s.reserve()
		s.claimed(id)
		s.later(25 * time.Minute)
		return id
	},
	"deleting, an attempt failed": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		s.do(id, upload.Unclear{Fence: r.Fence}, upload.Retry{Fence: r.Fence, Error: "delete: access denied", Backoff: 30 * time.Second})
		return id
	},
	"deleting, a part of it done": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		s.do(id, upload.Continue{Fence: r.Fence, Through: 2})
		return id
	},
	"deleting, parked": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		for n := 1; r.ParkedAt.IsZero(); n++ {
			r = s.do(id, upload.Retry{Fence: r.Fence, Error: "delete: access\ndenied"})
			if r.ParkedAt.IsZero() {
				r = s.do(id, upload.Reclaim{Worker: "worker-7", Token: "t-" + string(rune('0'+n))})
			}
		}
		s.later(72 * time.Hour)
		return id
	},
	"deleted": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		s.do(id, upload.Finish{Fence: r.Fence, Gone: 3})
		s.later(24 * time.Hour)
		return id
	},
	"deleted since its hold was over": func(s *scene) upload.ID {
		id := s.reserve(held(s.now.Add(2 * time.Hour)))
		s.later(26 * time.Hour)
		r := s.do(id, upload.Expire{Version: s.record(id).Version, Cutoff: s.now.Add(-s.policy.SafetyMargin)})
		s.later(25 * time.Hour)
		r = s.do(id, upload.Claim{Version: r.Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Worker: "w", Token: "t"})
		s.do(id, upload.Finish{Fence: r.Fence, Gone: 3})
		return id
	},
	"deleted but for what is locked": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		s.do(id, upload.Finish{Fence: r.Fence, Gone: 2, Retained: upload.Retained{Count: 1, Until: s.now.Add(240 * time.Hour), Reason: "object lock"}})
		return id
	},
	"deleted but for a legal hold": func(s *scene) upload.ID {
		id := s.reserve()
		r := s.claimed(id)
		s.do(id, upload.Finish{Fence: r.Fence, Gone: 2, Retained: upload.Retained{Count: 1, Reason: "legal hold"}})
		return id
	},
	"activity in the future": func(s *scene) upload.ID {
		s.later(time.Hour)
		id := s.reserve()
		s.later(-time.Hour)
		return id
	},
	"never existed": func(*scene) upload.ID { return named(404) },
}

func orphan(s *scene) upload.ID {
	id := upload.AdoptedID(bucket, "imports/a b.png", "v-9", 0)
	s.do(id, upload.Adopt{ID: id, Source: "reconciler hold 3fa4", Orphan: true, Objects: []upload.Explicit{
		{Bucket: bucket, Key: "imports/a b\n.png", VersionID: "v-9", ETag: "e9", Size: 77, LastModified: s.now.Add(-time.Hour)},
	}})
	return id
}

// What a person sees of each kind of upload, in testdata, read by a person.
func TestEveryKindOfUploadIsExplainedInWords(t *testing.T) {
	seen := map[upload.State]bool{}
	for name, live := range lives {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			id := live(s)
			s.running()
			seen[s.record(id).State] = true
			shows(t, name, s.text(id))
		})
	}
	for _, state := range upload.States() {
		if !seen[state] {
			t.Errorf("no upload that is %s was explained", state)
		}
	}
}

// Whoever asks for another tenant's upload must not learn that it is there.
func TestAnotherTenantsUploadIsExplainedLikeOneThatNeverExisted(t *testing.T) {
	s := newScene(t)
	id := s.reserve()
	other := upload.ID{Tenant: "rival", Upload: id.Upload}
	alone := newScene(t)
	alone.running()
	s.running()
	if got, want := s.text(other), alone.text(other); got != want {
		t.Errorf("explained:\n%s\nwithout the other tenant:\n%s", got, want)
	}
	page := s.document(other)
	if page["exists"] != false || page["state"] != "none" || page["record"] != nil {
		t.Errorf("%v", page)
	}
}

func TestEveryStateAndGuardThatTheCoreHasIsInWords(t *testing.T) {
	for _, o := range upload.AllObstacles() {
		if obstacleWords[o.Guard] == nil {
			t.Errorf("no words for the guard %q", o.Guard)
		}
		if froms[o.Event] == "" {
			t.Errorf("no words for the event %s", o.Event)
		}
	}
	if n := len(upload.AllObstacles()); n < 15 {
		t.Errorf("only %d obstacles", n)
	}
	guards := []string{}
	for _, o := range upload.AllObstacles() {
		guards = append(guards, o.Guard)
	}
	for guard := range obstacleWords {
		if !slices.Contains(guards, guard) {
			t.Errorf("words for a guard that the core does not have: %q", guard)
		}
	}
}
