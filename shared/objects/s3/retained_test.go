package s3_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// S3 says AccessDenied for a lock as for missing rights. Were the local clock
// asked whether a lock is over, a wrong one would turn a lock into a denial.
func TestADeniedDeleteIsExplainedByALookAtTheVersion(t *testing.T) {
	server, err := http.ParseTime(serverDate)
	must(t, err)
	ahead := server.Add(time.Hour).UTC()
	lock := func(until time.Time) map[string]string {
		return map[string]string{"x-amz-object-lock-mode": "COMPLIANCE", "x-amz-object-lock-retain-until-date": until.Format(time.RFC3339)}
	}
	both := lock(ahead)
	both["x-amz-object-lock-legal-hold"] = "ON"
	for _, c := range []struct {
		name string
		look reply
		want objects.Result
	}{
		{"locked", reply{status: 200, header: lock(ahead)}, objects.Result{Outcome: objects.Retained, Retained: upload.Retained{Count: 1, Until: ahead, Reason: objects.ReasonLock}}},
		{"held", reply{status: 200, header: map[string]string{"x-amz-object-lock-legal-hold": "ON"}}, objects.Result{Outcome: objects.Retained, Retained: upload.Retained{Count: 1, Reason: objects.ReasonLegalHold}}},
		{"locked and held", reply{status: 200, header: both}, objects.Result{Outcome: objects.Retained, Retained: upload.Retained{Count: 1, Until: ahead, Reason: objects.ReasonBoth}}},
		{"a lock that is over by the server's clock", reply{status: 200, header: lock(server.Add(-time.Second))}, objects.Result{Outcome: objects.Denied}},
		{"neither", notLocked, objects.Result{Outcome: objects.Denied}},
		{"a marker", reply{status: 405, header: map[string]string{"x-amz-delete-marker": "true"}}, objects.Result{Outcome: objects.Denied}},
		{"the look is denied too", reply{status: 403}, objects.Result{Outcome: objects.Denied}},
		{"the look breaks", reply{broken: true}, objects.Result{Outcome: objects.Denied}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := store(t, func(r request) reply {
				if r.method == http.MethodHead {
					return c.look
				}
				return result(failed("k1", "v1", "AccessDenied"))
			})
			c.want.Condemned, c.want.Code = some(t, 1)[0], "AccessDenied"
			if got := s.Delete(t.Context(), "b", some(t, 1))[0]; got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestABucketWithMFADeleteIsRefused(t *testing.T) {
	s, _ := store(t, always(reply{status: 200, body: "<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>"}))
	wantKind(t, s.CheckBucket(t.Context(), "b"), upload.ErrRefused)
}
