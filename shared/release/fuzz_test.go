package release_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// FuzzParseMessage: a message that is read is the same when it is written and
// read again, and everything that it says stands in it; one that is refused is
// refused in one line that holds nothing of it but a field's name.
func FuzzParseMessage(f *testing.F) {
	const good = `{"schema":1,"id":"8214","source":"orders","tenant":"acme","entity":"o-17","at":"2026-12-01T04:30:00Z","bucket":"uploads","key":"a b","version_id":"3L4k"}`
	for _, body := range []string{
		good, strings.Replace(good, `"key":"a b"`, `"url":"https://uploads.s3.amazonaws.com/a"`, 1), strings.Replace(good, `"bucket"`, `"Bucket"`, 1),
		strings.Replace(good, `"key":"a b"`, `"key":"a","key":"b"`, 1), strings.Replace(good, "a b", `\ud83d`, 1), strings.Replace(good, "a b", "\xff", 1),
		strings.Replace(good, "04:30:00Z", "04:30:00+14:00", 1), good + "x", strings.Replace(good, `1`, `"1"`, 1), `{"schema":1,"` + strings.Repeat("n", 300) + `":2}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m, err := release.ParseMessage(body)
		if err != nil {
			var u *source.Unreadable
			if says := err.Error(); !errors.As(err, &u) || len(says) > 600 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) {
				t.Fatalf("%#v", err)
			}
			return
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := release.ParseMessage(string(written))
		if err != nil || !again.At.Equal(m.At) {
			t.Fatalf("%s became %s: %v", body, written, err)
		}
		if again.At = m.At; again != m {
			t.Fatalf("%s became %s", body, written)
		}
		var loose map[string]any
		if err := json.Unmarshal([]byte(body), &loose); err != nil {
			t.Fatal(err)
		}
		for name, said := range map[string]string{"id": m.ID, "source": m.Source, "tenant": m.Tenant, "bucket": m.Bucket, "key": m.Key, "url": m.URL, "version_id": m.VersionID} {
			if text, _ := loose[name].(string); text != said {
				t.Fatalf("%s of %s is %q", name, body, said)
			}
		}
	})
}
