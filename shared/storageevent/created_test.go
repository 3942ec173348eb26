package storageevent_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/storageevent"
)

func event(t testing.TB, name string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A key that is decoded twice, or not at all, is another object's: a space and a
// plus trade places, and "%41" becomes "A".
func TestAnEventIsReadAndItsKeyDecodedExactlyOnce(t *testing.T) {
	at := time.Date(2026, 12, 1, 4, 43, 4, 0, time.UTC)
	put := storageevent.Created{
		Bucket: "uploads", Key: "a b+c/ü%41.txt", VersionID: "IYV3p45BT0ac8hjHg1houSdS1a.Mro8e", Size: 5,
		ETag: "5d41402abc4b2a76b9719d911017c592", At: at.Add(643 * time.Millisecond), Sequencer: "0055AED6DCD90281E5",
	}
	bridged := put
	bridged.At, bridged.Sequencer = at, "617f08299329d189"
	for name, want := range map[string][]storageevent.Created{
		"s3-put.json":      {put},
		"eventbridge.json": {bridged},
		"s3-multipart.json": {
			{
				Bucket: "uploads", Key: "up/acme/u-1/1/2", VersionID: "f6c42873-8a1a-4265-889e-4f4eff5da611", Size: 5242887,
				ETag: "1b3a558ba7c78630b6d01ef764ede136-2", At: at.Add(891 * time.Millisecond), Sequencer: "000006618B297BDE04",
			},
			{
				Bucket: "unversioned", Key: "copied.txt", ETag: "d41d8cd98f00b204e9800998ecf8427e",
				At: at.Add(time.Second), Sequencer: "0055AED6DCD90281E6",
			},
		},
	} {
		got, err := storageevent.Read(event(t, name))
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

func TestTheTestEventOfS3TellsOfNothing(t *testing.T) {
	got, err := storageevent.Read(json.RawMessage(`{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"uploads"}`))
	if err != nil || len(got) != 0 {
		t.Errorf("read %v, %v", got, err)
	}
}

func TestWhatIsNoEventOfACreatedObjectIsNamedInOneLineWithoutItsKey(t *testing.T) {
	for raw, says := range map[string]string{
		`[]`:             "no JSON object",
		`{`:              "no JSON object",
		`{"Records":{}}`: "its Records are not those",
		`{"Records":[{"eventSource":"aws:sqs","eventName":""}]}`:                                                                                   "expected ObjectCreated",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectRemoved:Delete","s3":{"bucket":{"name":"b"},"object":{"key":"secret"}}}]}`:         "expected ObjectCreated",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"secret%zz"}}}]}`:         "not URL-encoded",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"size":1}}}]}`:                  "no bucket or no key",
		`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"secret","size":"1"}}}]}`: "its Records are not those",
		`{"detail-type":"Object Deleted","source":"aws.s3","detail":{"bucket":{"name":"b"},"object":{"key":"secret"}}}`:                            "expected Object Created",
		`{"detail-type":"Object Created","source":"my.app","detail":{"bucket":{"name":"b"},"object":{"key":"secret"}}}`:                            "expected Object Created",
		`{"detail-type":"Object Created","source":"aws.s3","detail":{"object":{"key":"secret"}}}`:                                                  "no bucket or no key",
		`{"detail-type":"Object Created","source":"aws.s3","detail":"secret"}`:                                                                     "not as EventBridge sends it",
	} {
		got, err := storageevent.Read(json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v, want one line with %q", raw, got, err, says)
		}
	}
	for _, other := range []string{`{}`, `{"task":"reconcile"}`, `{"Event":"s3:Other"}`} {
		if _, err := storageevent.Read(json.RawMessage(other)); !errors.Is(err, storageevent.ErrOther) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// Whatever a key is, both ways bring the same one; and a store that writes a
// space as "%20" too.
func TestAnyKeyIsTheSameByBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { wantSameByBothWays(t, rapid.StringN(1, 40, 1024).Draw(t, "key")) })
}

// Each of these is another key, or none, if it is decoded twice or not at all.
func TestOddKeysAreTheSameByBothWays(t *testing.T) {
	for _, key := range []string{
		"?", "%", "+", " ", "%25", "%3F", "%2B", "%20", "a%2Fb", "a+b c%20d", "&=#;", "//", "../..", "\u202e", "\x7f", "\x00", "\n",
		"ü", "u\u0308", "\ufffd", strings.Repeat("ü+% ", 204),
	} {
		wantSameByBothWays(t, key)
	}
}

type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

func wantSameByBothWays(t fataler, key string) {
	told := func(encoded string) any {
		return map[string]any{"Records": []any{map[string]any{
			"eventSource": "aws:s3", "eventName": "ObjectCreated:Put",
			"s3": map[string]any{"bucket": map[string]any{"name": "b"}, "object": map[string]any{"key": encoded}},
		}}}
	}
	for _, e := range []any{
		told(url.QueryEscape(key)),
		told(strings.ReplaceAll(url.QueryEscape(key), "+", "%20")),
		map[string]any{
			"source": "aws.s3", "detail-type": "Object Created",
			"detail": map[string]any{"bucket": map[string]any{"name": "b"}, "object": map[string]any{"key": key}},
		},
	} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := storageevent.Read(raw)
		if err != nil || len(got) != 1 || got[0].Key != key {
			t.Fatalf("%q became %+v, %v", key, got, err)
		}
	}
}

// What a sender calls its event is its own word, and may be anything. Without
// the bound, a message of somebody else's brings its content into the log.
func TestASendersOwnWordsAreNotRepeatedAtLength(t *testing.T) {
	long := strings.Repeat("secret ", 10_000)
	for _, e := range []any{
		map[string]any{"Records": []any{map[string]any{"eventSource": long, "eventName": "ObjectCreated:Put"}}},
		map[string]any{"Records": []any{map[string]any{"eventSource": "aws:s3", "eventName": "secret/of acme"}}},
		map[string]any{"source": long, "detail-type": "Object Created"},
		map[string]any{"source": "aws.s3", "detail-type": "secret/of acme"},
	} {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = storageevent.Read(raw); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.80s: %.200v", raw, err)
		}
	}
}
