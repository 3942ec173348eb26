package site

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

var at = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// logs is a service for logs that answers everything with one status.
func logs(t *testing.T, status int) (Opened, *[]string) {
	t.Helper()
	var taken []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		taken = append(taken, string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"__type":"AccessDeniedException"}`)
	}))
	t.Cleanup(server.Close)
	return Opened{Config: awsconf.ForEndpoint(server.URL), site: Site{AuditGroup: "audit"}}, &taken
}

func TestADecisionIsWrittenToTheGroupAndNothingElseIsSaid(t *testing.T) {
	o, taken := logs(t, http.StatusOK)
	errs := &strings.Builder{}
	to, flush := o.Trail(errs, time.Now)
	to.Write(t.Context(), audit.Line{At: at, Who: "ann", What: audit.GatePause})
	flush(t.Context())
	if len(*taken) != 1 || !strings.Contains((*taken)[0], `gate-pause`) || errs.Len() != 0 {
		t.Errorf("the group got %q; said %q", *taken, errs)
	}
}

// A decision that was made and is written nowhere is the worst of all trails.
func TestALineThatTheGroupDoesNotTakeIsWrittenForThePerson(t *testing.T) {
	o, _ := logs(t, http.StatusBadRequest)
	errs := &strings.Builder{}
	to, flush := o.Trail(errs, time.Now)
	to.Write(t.Context(), audit.Line{At: at, Who: "ann", What: audit.GatePause})
	flush(t.Context())
	for _, part := range []string{`"who":"ann","what":"gate-pause"`, "AccessDenied"} {
		if !strings.Contains(errs.String(), part) {
			t.Errorf("it says %q: expected %q", errs, part)
		}
	}
}

func TestWithoutAGroupThereIsNoTrail(t *testing.T) {
	to, flush := Opened{}.Trail(io.Discard, time.Now)
	to.Write(t.Context(), audit.Line{At: at})
	flush(t.Context())
	if to != nil {
		t.Error("there is one")
	}
}

// A pass may take minutes. With the trail sent at its end only, one that is
// killed has decided what nobody knows of.
func TestTheTrailIsSentOnTheWayAndNotOnlyAtTheEnd(t *testing.T) {
	o, taken := logs(t, http.StatusOK)
	now := at
	to, flush := o.Trail(io.Discard, func() time.Time { return now })
	for i := range 10 {
		to.Write(t.Context(), audit.Line{At: at, Who: "ann", What: audit.LetterRedriven, Letter: string(rune('a' + i))})
		now = now.Add(sendEvery / 4)
	}
	if len(*taken) != 2 || !strings.Contains((*taken)[1], `\"letter\":\"i\"`) {
		t.Errorf("before the end the group got %q", *taken)
	}
	flush(t.Context())
	if len(*taken) != 3 || strings.Contains((*taken)[2], `\"letter\":\"i\"`) {
		t.Errorf("at the end the group got %q", *taken)
	}
}

// A group that does not answer costs one wait, not one for each line.
func TestAGroupThatFailsIsNotAskedAgainBeforeTheEndAndNoLineIsLost(t *testing.T) {
	o, taken := logs(t, http.StatusBadRequest)
	errs := &strings.Builder{}
	now := at
	to, flush := o.Trail(errs, func() time.Time { return now })
	for i := range 10 {
		to.Write(t.Context(), audit.Line{At: at, Who: "ann", What: audit.LetterRedriven, Letter: string(rune('a' + i))})
		now = now.Add(sendEvery)
	}
	if len(*taken) != 1 {
		t.Errorf("it was asked %d times", len(*taken))
	}
	flush(t.Context())
	for i := range 10 {
		if !strings.Contains(errs.String(), `"letter":"`+string(rune('a'+i))+`"`) {
			t.Errorf("line %d is lost: %s", i, errs)
		}
	}
}
