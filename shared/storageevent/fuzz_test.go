package storageevent_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/storageevent"
)

// said is all that an error of this package may consist of: its own words and
// what passes for the name of an event.
var said = regexp.MustCompile(`^[A-Za-z0-9:._ ,"-]{1,250}$`)

// FuzzRead: what is read names a bucket and a key in every entry, and is the
// same when it is told by S3 and by EventBridge once more; what is refused is
// refused in one short line.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"s3-put.json", "s3-multipart.json", "eventbridge.json"} {
		f.Add([]byte(event(f, name)))
	}
	f.Add([]byte(`{"Event":"s3:TestEvent"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := storageevent.Read(raw)
		if err != nil {
			if !said.MatchString(err.Error()) || len(all) > 0 {
				t.Fatalf("%v with %d objects", err, len(all))
			}
			return
		}
		if len(all) > len(raw)/2 {
			t.Fatalf("%d objects of %d bytes", len(all), len(raw))
		}
		for _, c := range all {
			if c.Bucket == "" || c.Key == "" {
				t.Fatalf("an object without a name: %+v", c)
			}
			wantTheSame(t, c, s3Event(c))
			if utf8.ValidString(c.Key) { // S3's keys are; JSON can say no other
				wantTheSame(t, c, bridgeEvent(c))
			}
		}
	})
}

func wantTheSame(t *testing.T, want storageevent.Created, e any) {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		return // an instant that JSON cannot say
	}
	got, err := storageevent.Read(raw)
	if err != nil || len(got) != 1 || !got[0].At.Equal(want.At) {
		t.Fatalf("%+v became %+v, %v", want, got, err)
	}
	if want.At = got[0].At; got[0] != want {
		t.Fatalf("%+v became %+v", want, got[0])
	}
}

func s3Event(c storageevent.Created) any {
	object := map[string]any{
		"key": url.QueryEscape(c.Key), "size": c.Size, "eTag": c.ETag, "versionId": c.VersionID, "sequencer": c.Sequencer,
	}
	return map[string]any{"Records": []any{map[string]any{
		"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "eventTime": c.At,
		"s3": map[string]any{"bucket": map[string]any{"name": c.Bucket}, "object": object},
	}}}
}

func bridgeEvent(c storageevent.Created) any {
	object := map[string]any{"key": c.Key, "size": c.Size, "etag": c.ETag, "version-id": c.VersionID, "sequencer": c.Sequencer}
	return map[string]any{
		"source": "aws.s3", "detail-type": "Object Created", "time": c.At,
		"detail": map[string]any{"bucket": map[string]any{"name": c.Bucket}, "object": object},
	}
}
