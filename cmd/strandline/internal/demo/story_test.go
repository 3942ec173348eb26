package demo

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
)

// span is a duration as Go writes it.
type span time.Duration

func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*s = span(d)
	return err
}

// checklist is what the story must tell, agreed before it was written.
type checklist struct {
	Policy struct {
		ActivityGrace    span  `json:"activity_grace"`
		SecondGrace      span  `json:"second_grace"`
		OrphanGrace      span  `json:"orphan_grace"`
		MaxDeletePercent int   `json:"max_delete_percent"`
		MaxDeleteCount   int64 `json:"max_delete_count"`
	} `json:"policy"`
	Sessions  map[string]sessionLine `json:"sessions"`
	Strangers struct {
		Objects int64 `json:"objects"`
		Age     span  `json:"age"`
	} `json:"strangers"`
	PassOne struct {
		Kept, Marked, Held, Deleted int64
	} `json:"pass_one"`
	PassTwoAfter span                `json:"pass_two_after"`
	PassTwo      map[string]caseLine `json:"pass_two"`
	// Aftermath is what the reconciler finds after the first of them, and how
	// many strangers are hidden, restored and purged by decision.
	Aftermath struct {
		OK, Orphan, Missing, Hidden, Restored, Purged int64
	} `json:"aftermath"`
}

type sessionLine struct {
	State   string `json:"state"`
	Chunks  int64  `json:"chunks"`
	Idle    span   `json:"idle"`
	PassOne string `json:"pass_one"`
}

// caseLine is one way the story goes on; absent numbers are not of that case.
type caseLine struct {
	Deleted         int64  `json:"deleted"`
	Kept            int64  `json:"kept"`
	Held            int64  `json:"held"`
	Run             string `json:"run"`
	ListedAgain     *int64 `json:"listed_again"`
	RepeatedBlindly *int64 `json:"repeated_blindly"`
	MaxDeleteCount  *int64 `json:"max_delete_count"`
}

func readChecklist(t *testing.T) (list checklist) {
	t.Helper()
	f, err := os.Open("testdata/checklist.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// Without this the story's numbers could be changed until they fit whatever the
// functions do.
func TestTheStoryBeginsAsTheChecklistSays(t *testing.T) {
	list := readChecklist(t)
	s, err := beginStory(t)
	if err != nil {
		t.Fatal(err)
	}
	now := s.Clock.Now()
	for name, session := range map[string]*intake.Session{"S1": s.s1, "S2": s.s2, "S3": s.s3} {
		r, err := s.Stores.Ledger.Load(t.Context(), session.ID())
		if err != nil {
			t.Fatal(err)
		}
		want := list.Sessions[name]
		got := sessionLine{r.State.String(), r.Objects, span(now.Sub(r.LastActivityAt)), want.PassOne}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for v, err := range s.Stores.Objects.Versions(t.Context(), s.Bucket, "imports/") {
		if err != nil || now.Sub(v.LastModified) != time.Duration(list.Strangers.Age) {
			t.Errorf("a stranger is %v old, %v", now.Sub(v.LastModified), err)
		}
	}
	if len(list.Sessions) != 3 || list.Strangers.Objects != strangers || time.Duration(list.PassTwoAfter) != betweenOne {
		t.Errorf("%d sessions, %d strangers, pass two after %v", len(list.Sessions), strangers, betweenOne)
	}
	p := policy.Default()
	if p.ActivityGrace != time.Duration(list.Policy.ActivityGrace) || p.SecondGrace != time.Duration(list.Policy.SecondGrace) ||
		storyGrace != time.Duration(list.Policy.OrphanGrace) || p.MaxDeletePercent != list.Policy.MaxDeletePercent || p.MaxDeleteCount != list.Policy.MaxDeleteCount {
		t.Errorf("the story is told under graces of %v and %v, and a limit of %d %% or %d",
			p.ActivityGrace, p.SecondGrace, p.MaxDeletePercent, p.MaxDeleteCount)
	}
}

func TestPassOneOfTheStoryDoesWhatTheChecklistSays(t *testing.T) {
	list := readChecklist(t)
	s, err := beginStory(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.passOne(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum := map[string]int64{}
	for _, session := range list.Sessions {
		sum[session.PassOne] += session.Chunks
	}
	kept := sum["kept"] + sum["stuck"]
	if kept != list.PassOne.Kept || sum["marked"] != list.PassOne.Marked || list.Strangers.Objects != list.PassOne.Held {
		t.Errorf("the checklist's sessions give %v, its pass one %+v", sum, list.PassOne)
	}
	if len(s.checks.failed) != 0 || kept != chunksS1+chunksS2 || sum["stuck"] != chunksS2 || sum["marked"] != chunksS3 {
		t.Errorf("%d numbers differ; the checklist's sessions give %v", len(s.checks.failed), sum)
	}
	if got := s.Purged().Deleted.Objects; got != list.PassOne.Deleted {
		t.Errorf("pass one deleted %d", got)
	}
}

func TestTheStoryTellsEveryCaseOfTheChecklistWithItsNumbers(t *testing.T) {
	list := readChecklist(t)
	told := map[string]caseLine{}
	for _, k := range storyCases() {
		line := caseLine{Deleted: k.deleted, Kept: k.kept, Held: strangers, Run: k.state}
		if k.unclear { // what checkLedger compares with then
			line.ListedAgain, line.RepeatedBlindly = new(int64(1)), new(int64(0))
		}
		if k.policy != nil {
			p := policy.Default()
			k.policy(&p)
			line.MaxDeleteCount = &p.MaxDeleteCount
		}
		told[k.name] = line
	}
	if diff := cmp.Diff(list.PassTwo, told); diff != "" {
		t.Errorf("cases (-checklist +story):\n%s", diff)
	}
}

func TestEveryCaseOfTheStoryComesOutAsItTells(t *testing.T) {
	for _, k := range storyCases() {
		t.Run(k.name, func(t *testing.T) {
			var said strings.Builder
			out := &checks{out: &said}
			if _, err := tellStory(t.Context(), inMemory(), k, out); err != nil || len(out.failed) > 0 || out.passed < 17 {
				t.Errorf("%d numbers are right, %d differ, %v\n%s", out.passed, len(out.failed), err, &said)
			}
		})
	}
}

func inMemory() *memoryCloud {
	return &memoryCloud{
		real: func() time.Time { return storyBegins }, memory: map[*installation.Installation]*installation.Memory{},
	}
}

// beginStory brings the story to where pass one finds it.
func beginStory(t *testing.T) (*story, error) {
	t.Helper()
	fault := &storyFault{}
	c, p, inventories := inMemory(), policy.Default(), t.TempDir()
	p.OrphanGrace = storyGrace
	i, err := c.install(t.Context(), storyName, installation.Options{Policy: p, Wrap: fault.wrap, Inventories: delivered(inventories)})
	if err != nil {
		return nil, err
	}
	s := &story{Installation: i, checks: &checks{out: io.Discard}, fault: fault, cloud: c, inventories: inventories}
	return s, s.upload(t.Context())
}
