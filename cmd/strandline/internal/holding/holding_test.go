package holding

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

const bucket = "uploads"

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// scene is a bucket with holds and a clerk's desk over it, in memory.
type scene struct {
	Clerk
	store *objects.Store
	out   *strings.Builder
	asked []string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	clock := func() time.Time { return now }
	s := &scene{store: objects.New(clock), out: &strings.Builder{}}
	s.store.CreateBucket(bucket, objects.BucketOptions{})
	ledger := ledgers.New()
	book := hold.Book{Documents: ledger, Forget: time.Hour}
	s.Clerk = Clerk{
		Office: Office{Book: book, Bucket: bucket, Now: clock, Out: s.out},
		Desk: quarantine.Desk{
			Policy: policy.Default(), Book: book, Records: ledger, Store: s.store, Markers: s.store, Parts: s.store, Now: clock,
		},
		Who: "ann",
		Ask: s.answer(true, nil),
	}
	err := book.SetView(t.Context(), bucket, hold.View{Run: "run-1", Inventory: now.Add(-24 * time.Hour), ManifestAt: now, Finished: now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) answer(yes bool, err error) func(string) (bool, error) {
	return func(question string) (bool, error) {
		s.asked = append(s.asked, question)
		return yes, err
	}
}

// held puts an object that nobody owns, and opens its hold.
func (s *scene) held(t *testing.T, key string) hold.Hold {
	t.Helper()
	v := s.store.Write(bucket, key, []byte("stranger"), now.Add(-240*time.Hour))
	h, _, err := s.Book.See(t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: bucket, Key: key, VersionID: v.VersionID},
		Size:    v.Size, ETag: v.ETag, LastModified: v.LastModified, Latest: true,
		By: hold.Sighting{Run: "run-1", Inventory: now.Add(-24 * time.Hour)},
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// versions of the key, and how many of them are markers.
func (s *scene) versions(key string) (all, markers int) {
	for _, v := range s.store.All(bucket) {
		if v.Key != key {
			continue
		}
		all++
		if v.Marker {
			markers++
		}
	}
	return all, markers
}

func TestTheListShowsWhatWaitsAndOnDemandTheRest(t *testing.T) {
	s := newScene(t)
	h := s.held(t, "imports/a b\n.png")
	waiting, err := ParseStates([]string{"open", "kept", "approved"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.List(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	want := "hold          state  age   size  version  key\n" +
		h.ID()[:12] + "  open   10 d  8 B   current  \"imports/a b\\n.png\"\n"
	if s.out.String() != want {
		t.Errorf("shown:\n%s, expected\n%s", s.out, want)
	}
	s.out.Reset()
	if err := s.List(t.Context(), []hold.State{hold.Closed}); err != nil || !strings.HasPrefix(s.out.String(), "no such holds in bucket uploads") {
		t.Errorf("%v, %s", err, s.out)
	}
	if _, err := ParseStates([]string{"closde"}); err == nil || !strings.Contains(err.Error(), `--state is "closde"`) {
		t.Errorf("%v", err)
	}
}

func TestAHoldIsShownByTheBeginningOfItsID(t *testing.T) {
	s := newScene(t)
	h := s.held(t, "imports/1")
	if err := s.Show(t.Context(), []string{h.ID()[:8]}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{h.ID(), "imports/1", "8 B", "run run-1", "current when last seen"} {
		if !strings.Contains(s.out.String(), part) {
			t.Errorf("no %q in\n%s", part, s.out)
		}
	}
	for _, id := range []string{"0000ffff", "xyz"} {
		if err := s.Show(t.Context(), []string{id}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Of two holds that begin alike, the person may mean the other.
func TestAnIDThatBeginsSeveralHoldsIsRefused(t *testing.T) {
	s := newScene(t)
	first := map[byte]bool{}
	for n := range 30 {
		h := s.held(t, strings.Repeat("k", n+1))
		c := h.ID()[0]
		if !first[c] {
			first[c] = true
			continue
		}
		if err := s.Keep(t.Context(), []string{string(c)}, ""); err == nil || !strings.Contains(err.Error(), "more than one hold") {
			t.Errorf("%v", err)
		}
		return
	}
}

func TestAsJSONEachHoldIsALine(t *testing.T) {
	s := newScene(t)
	s.JSON = true
	h := s.held(t, "bad\xff")
	if err := s.List(t.Context(), hold.States()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(s.out.String()), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"id": h.ID(), "state": "open", "key_base64": "YmFk/w==", "size": 8.0, "version_id": h.VersionID, "latest": true, "key_known": false,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, expected %v", name, got[name], want)
		}
	}
	if _, there := got["key"]; there {
		t.Errorf("key is %v", got["key"])
	}
}

func TestAnApprovalShowsWhatItDoesAsksAndHidesAndARestoreShowsAgain(t *testing.T) {
	s := newScene(t)
	h := s.held(t, "imports/1")
	if err := s.Approve(t.Context(), []string{h.ID()[:12]}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"imports/1", "from 2026-12-14 12:00 UTC on", "a delete marker hides it meanwhile", "approved, hidden; due 2026-12-14 12:00 UTC"} {
		if !strings.Contains(s.out.String(), part) {
			t.Errorf("no %q in\n%s", part, s.out)
		}
	}
	if len(s.asked) != 1 || s.asked[0] != "Approve this one?" {
		t.Errorf("asked %q", s.asked)
	}
	if all, markers := s.versions("imports/1"); all != 2 || markers != 1 {
		t.Errorf("%d versions stand, %d of them markers", all, markers)
	}
	if err := s.Restore(t.Context(), []string{h.ID()}); err != nil {
		t.Fatal(err)
	}
	if all, markers := s.versions("imports/1"); all != 1 || markers != 0 {
		t.Errorf("restored, %d versions stand, %d of them markers", all, markers)
	}
	if h, err := s.Book.Get(t.Context(), bucket, h.ID()); err != nil || h.State != hold.Open || h.Who != "ann" {
		t.Errorf("%s by %s, %v", h.State, h.Who, err)
	}
}

// Whatever is asked for by mistake must still be there after a "no".
func TestWhoDoesNotSayYesHasDoneNothing(t *testing.T) {
	nobody := errors.New("nobody there")
	for _, c := range []struct {
		name string
		ask  func(*scene) func(string) (bool, error)
		want error
	}{
		{"no", func(s *scene) func(string) (bool, error) { return s.answer(false, nil) }, consent.ErrDeclined},
		{"nobody", func(s *scene) func(string) (bool, error) { return s.answer(false, nobody) }, nobody},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.Ask = c.ask(s)
			h := s.held(t, "imports/1")
			for _, err := range []error{
				s.Approve(t.Context(), []string{h.ID()}), s.Keep(t.Context(), []string{h.ID()}, "why"), s.Restore(t.Context(), []string{h.ID()}),
			} {
				if !errors.Is(err, c.want) {
					t.Errorf("%v", err)
				}
			}
			if h, err := s.Book.Get(t.Context(), bucket, h.ID()); err != nil || h.State != hold.Open || h.Revision != 1 {
				t.Errorf("%s, revision %d, %v", h.State, h.Revision, err)
			}
			if all, _ := s.versions("imports/1"); all != 1 || len(s.asked) != 3 {
				t.Errorf("%d versions, asked %q", all, s.asked)
			}
		})
	}
}

// Half of what was named would be gone before the person knew that the other
// half is refused.
func TestOneRefusalRefusesAllBeforeAnybodyIsAsked(t *testing.T) {
	s := newScene(t)
	good, bad := s.held(t, "imports/1"), s.held(t, "imports/2")
	if _, err := s.Book.Close(t.Context(), bad, "owned", now); err != nil {
		t.Fatal(err)
	}
	err := s.Approve(t.Context(), []string{good.ID(), bad.ID()})
	if err == nil || !strings.Contains(err.Error(), "it is closed") || len(s.asked) != 0 {
		t.Errorf("%v, asked %q", err, s.asked)
	}
	if all, markers := s.versions("imports/1"); all != 1 || markers != 0 {
		t.Errorf("%d versions, %d markers", all, markers)
	}
}

func TestAKeptHoldSaysByWhomAndWhy(t *testing.T) {
	s := newScene(t)
	h := s.held(t, "imports/1")
	s.Ask = nil // --yes
	var trail []string
	s.Desk.Audit = func(_ context.Context, l audit.Line) { trail = append(trail, l.Who+" "+l.What+" "+l.Why) }
	if err := s.Keep(t.Context(), []string{h.ID()}, "the old importer's"); err != nil {
		t.Fatal(err)
	}
	if len(trail) != 1 || trail[0] != "ann hold-kept the old importer's" {
		t.Errorf("the trail has %q", trail)
	}
	if !strings.Contains(s.out.String(), "kept  imports/1") {
		t.Errorf("shown:\n%s", s.out)
	}
	s.out.Reset()
	if err := s.Show(t.Context(), []string{h.ID()}); err != nil || !strings.Contains(s.out.String(), "kept by ann, 2026-11-30T12:00:00Z: the old importer's") {
		t.Errorf("%v\n%s", err, s.out)
	}
}
