package s3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/objectstest"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

// some condemns n versions: key k1 version v1, key k2 version v2 and so on.
func some(t *testing.T, n int) []upload.Condemned {
	t.Helper()
	versions := make([]uploadtest.Version, n)
	for i := range versions {
		versions[i] = uploadtest.Version{Bucket: "b", Key: fmt.Sprintf("k%d", i+1), VersionID: fmt.Sprintf("v%d", i+1)}
	}
	return uploadtest.Condemned(t, versions...)
}

func outcomes(results []objects.Result) string {
	words := make([]string, len(results))
	for i, r := range results {
		words[i] = r.Outcome.String()
	}
	return strings.Join(words, " ")
}

// notLocked answers HEAD for a version that nothing keeps.
var notLocked = reply{status: 200, header: map[string]string{"Last-Modified": serverDate}}

// Without the version id S3 would put a delete marker on a current object and
// call it success. Were Quiet on, the deleted would not be named; a bypass
// header would open governance locks.
func TestEveryDeleteOnTheWireNamesAVersionAndBypassesNothing(t *testing.T) {
	var asked []*http.Request
	w := newWorld(t, through(func(next httpClient, r *http.Request) (*http.Response, error) {
		asked = append(asked, r)
		return next.Do(r)
	}))
	b := w.Bucket(t, objectstest.Enabled)
	var versions []uploadtest.Version
	for _, key := range objectstest.StrangeKeys() {
		versions = append(versions, uploadtest.Version{Bucket: b, Key: key, VersionID: w.Write(t, b, key, "1")})
	}
	w.store.Delete(t.Context(), b, uploadtest.Condemned(t, versions...))
	named := 0
	for _, r := range asked {
		if r.Header.Get("X-Amz-Bypass-Governance-Retention") != "" {
			t.Error("a lock was to be bypassed")
		}
		if r.Method == http.MethodDelete {
			named++
			if r.URL.Query().Get("versionId") == "" {
				t.Errorf("a delete without a version id: %s", r.URL)
			}
		}
	}
	if named == 0 || named == len(versions) {
		t.Errorf("%d of %d keys went one by one", named, len(versions))
	}
}

func TestABatchNamesEachVersionOnceAndIsNotQuiet(t *testing.T) {
	s, c := store(t, always(result(deleted("k1", "v1"), deleted("k2", "v2"))))
	two := some(t, 2)
	if got := outcomes(s.Delete(t.Context(), "b", append(two, two...))); got != "gone gone gone gone" {
		t.Errorf("got %s", got)
	}
	body := c.asked[0].body
	want := "<Object><Key>k1</Key><VersionId>v1</VersionId></Object><Object><Key>k2</Key><VersionId>v2</VersionId></Object>"
	if len(c.asked) != 1 || strings.Count(body, "<Object>") != 2 || !strings.Contains(body, want) || !strings.Contains(body, "<Quiet>false</Quiet>") {
		t.Errorf("%d calls, the first: %s", len(c.asked), body)
	}
}

// A 200 says nothing about each key. Were it taken for success, a version that
// still stands would be recorded as gone.
func TestA200CountsOnlyForWhatItNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		ask     int
		entries []string
		want    string
	}{
		{"deleted, denied and broken inside", 3, []string{deleted("k1", "v1"), failed("k2", "v2", "AccessDenied"), failed("k3", "v3", "InternalError")}, "gone denied unclear"},
		{"four of ten are throttled", 10, throttledFour(), strings.TrimSpace(strings.Repeat("gone ", 6) + strings.Repeat("throttled ", 4))},
		{"an entry is missing", 2, []string{deleted("k2", "v2")}, "unclear gone"},
		{"an empty answer", 2, nil, "unclear unclear"},
		{"entries that nobody asked for", 2, []string{deleted("k1", "v2"), deleted("k9", "v9"), failed("k8", "v8", "SlowDown")}, "unclear unclear"},
		{"a deleted entry without its version", 1, []string{"<Deleted><Key>k1</Key></Deleted>"}, "unclear"},
		{"both deleted and in error", 1, []string{deleted("k1", "v1"), failed("k1", "v1", "SlowDown")}, "unclear"},
		{"an error inside that the SDK's parser skips", 1, []string{"<Code>InternalError</Code>"}, "unclear"},
		{"no such version", 1, []string{failed("k1", "v1", "NoSuchVersion")}, "gone"},
		{"a code that nobody knows", 1, []string{failed("k1", "v1", "Whatever")}, "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := store(t, func(r request) reply {
				if r.method == http.MethodHead {
					return notLocked
				}
				return result(c.entries...)
			})
			if got := outcomes(s.Delete(t.Context(), "b", some(t, c.ask))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestADenialThatNobodyAskedForIsNotLookedAt(t *testing.T) {
	s, c := store(t, always(result(deleted("k1", "v1"), failed("k7", "v7", "AccessDenied"))))
	if got := outcomes(s.Delete(t.Context(), "b", some(t, 1))); got != "gone" || len(c.asked) != 1 {
		t.Errorf("got %s after %d calls", got, len(c.asked))
	}
}

func throttledFour() []string {
	var entries []string
	for i := 1; i <= 6; i++ {
		entries = append(entries, deleted(fmt.Sprintf("k%d", i), fmt.Sprintf("v%d", i)))
	}
	for i := 7; i <= 10; i++ {
		entries = append(entries, failed(fmt.Sprintf("k%d", i), fmt.Sprintf("v%d", i), "SlowDown"))
	}
	return entries
}

// Without the single attempt, a throttled or broken call would be repeated by
// the client behind the gate's back, and "unclear" would never be seen.
func TestAFailedCallIsTheOutcomeOfEachAndIsNotRepeated(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply reply
		want  string
	}{
		{"slow down", fault(503, "SlowDown"), "throttled throttled"},
		{"503 without a word", reply{status: 503}, "throttled throttled"},
		{"access denied", fault(403, "AccessDenied"), "denied denied"},
		{"internal error", fault(500, "InternalError"), "unclear unclear"},
		{"bad gateway", reply{status: 502, body: "<html>"}, "unclear unclear"},
		{"the connection breaks", reply{broken: true}, "unclear unclear"},
		{"the answer is cut", reply{status: 200, body: "<DeleteResult><Deleted><Key>k1</Key>"}, "unclear unclear"},
		{"an error under a 200", fault(200, "InternalError"), "unclear unclear"},
		{"no such bucket", fault(404, "NoSuchBucket"), "failed failed"},
		{"malformed", fault(400, "MalformedXML"), "failed failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, seen := store(t, always(c.reply))
			if got := outcomes(s.Delete(t.Context(), "b", some(t, 2))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(seen.asked) != 1 || !seen.asked[0].is(http.MethodPost, "delete") {
				t.Errorf("%d calls", len(seen.asked))
			}
		})
	}
}

func TestADeleteThatWasDoneButNotAnsweredIsUnclearAndSentOnce(t *testing.T) {
	sent := 0
	w := newWorld(t, through(func(next httpClient, r *http.Request) (*http.Response, error) {
		resp, err := next.Do(r)
		if r.Method == http.MethodPost || r.Method == http.MethodDelete {
			sent++
			return nil, errors.New("connection reset by peer")
		}
		return resp, err
	}))
	b := w.Bucket(t, objectstest.Enabled)
	for i, key := range []string{"a", "a\x01"} {
		id := w.Write(t, b, key, "1")
		got := w.store.Delete(t.Context(), b, uploadtest.Condemned(t, uploadtest.Version{Bucket: b, Key: key, VersionID: id}))
		if got[0].Outcome != objects.Unclear || sent != i+1 {
			t.Errorf("%+v after %d calls", got[0], sent)
		}
		if _, err := w.store.Stat(t.Context(), b, key, id); !errors.Is(err, upload.ErrAbsent) {
			t.Errorf("the delete was not done: %v", err)
		}
	}
}

// Whatever the client fails with, and however it is translated: without an
// answer nobody knows that nothing was done.
func TestAFailureWithoutAnAnswerIsUnclearWhateverItIs(t *testing.T) {
	c := &canned{answer: always(result())}
	client := awsconf.S3(awsconf.ForEndpoint("http://s3.invalid"), func(o *awss3.Options) {
		o.HTTPClient = c
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, errors.New("nobody has any")
		})
	})
	if got := outcomes(s3.New(client).Delete(t.Context(), "b", some(t, 1))); got != "unclear" {
		t.Errorf("got %s", got)
	}
}

func TestAContextThatEndsDuringTheCallLeavesItUnclear(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := store(t, func(request) reply {
		cancel()
		return reply{broken: true}
	})
	if got := outcomes(s.Delete(ctx, "b", some(t, 2))); got != "unclear unclear" {
		t.Errorf("got %s", got)
	}
}

// Without the key in the URL, the SDK writes U+FFFD into the body: the delete
// of another key.
func TestAKeyThatXMLCannotCarryIsNeverInABody(t *testing.T) {
	s, c := store(t, always(reply{status: 204}))
	versions := uploadtest.Condemned(t, uploadtest.Version{Bucket: "b", Key: "a\x01b", VersionID: "v1"})
	if got := outcomes(s.Delete(t.Context(), "b", versions)); got != "gone" {
		t.Errorf("got %s", got)
	}
	want := []string{http.MethodDelete + " versionId=v1&x-id=DeleteObject"}
	got := []string{}
	for _, r := range c.asked {
		got = append(got, r.method+" "+r.query)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
