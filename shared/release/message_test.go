package release_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// sent is a message of orders about an object.
func sent(id string, at time.Time, key, version string) release.Message {
	return release.Message{
		Schema: release.Schema, ID: id, Source: "orders", Tenant: "acme", At: at, Bucket: bucket, Key: key, VersionID: version,
	}
}

func TestAMessageReleasesWhatItNamesOnceHoweverOftenItIsSent(t *testing.T) {
	w := newWorld(t)
	v := w.write("a b+c.jpg", "one") // literal, and by URL
	w.now = w.now.Add(time.Minute)
	m := sent("8214", w.now, "a b+c.jpg", v.VersionID)
	got := w.Message(t.Context(), m)
	w.want([]release.Outcome{got}, "adopted")
	w.wantAdopted(got, orders, v)
	w.want([]release.Outcome{w.Message(t.Context(), m)}, "skipped: already released")

	byURL := sent("8215", w.now, "", "")
	byURL.Bucket, byURL.URL = "", "https://uploads.s3.amazonaws.com/a%20b%2Bc.jpg"
	got = w.Message(t.Context(), byURL)
	w.want([]release.Outcome{got}, "adopted")
	w.wantAdopted(got, orders, v)
	byURL.ID, byURL.URL, byURL.VersionID = "8216", byURL.URL+"?versionId="+v.VersionID, v.VersionID
	w.want([]release.Outcome{w.Message(t.Context(), byURL)}, "adopted")

	r, keys := w.upload("two")
	w.want([]release.Outcome{w.Message(t.Context(), sent("8217", w.now, keys[0], ""))}, "released")
	w.wantState(r.ID, upload.StateCancelled)
}

func TestAMessageThatCannotBeDealtWithIsParkedForAReason(t *testing.T) {
	w := newWorld(t)
	v := w.write("a", "one")
	for want, edit := range map[string]func(*release.Message){
		"schema: it is 2: expected 1":                                        func(m *release.Message) { m.Schema = 2 },
		"id: expected at most 128 bytes of UTF-8 without control characters": func(m *release.Message) { m.ID = "" },
		"source: it is missing":                                              func(m *release.Message) { m.Source = "" },
		"source: it is not configured":                                       func(m *release.Message) { m.Source = "other" },
		"at: it is missing":                                                  func(m *release.Message) { m.At = time.Time{} },
		"at: it lies in the future: the database's clock is wrong":           func(m *release.Message) { m.At = w.now.Add(time.Hour) },
		"key: expected a key or a url":                                       func(m *release.Message) { m.URL = "s3://uploads/a" },
		"bucket: a url says its bucket itself":                               func(m *release.Message) { m.Key, m.URL = "", "s3://uploads/a" },
		"bucket: it is none of the source's":                                 func(m *release.Message) { m.Bucket = "payroll" },
		"tenant id is empty":                                                 func(m *release.Message) { m.Tenant = "" },
		"version_id: the url names another one": func(m *release.Message) {
			m.Key, m.Bucket, m.URL = "", "", "s3://uploads/a?versionId=other"
		},
		"url: it has a fragment: a # of a key is written %23": func(m *release.Message) {
			m.Key, m.Bucket, m.URL = "", "", "https://uploads.s3.amazonaws.com/a#b"
		},
	} {
		m := sent("1", w.now, "a", v.VersionID)
		edit(&m)
		w.want([]release.Outcome{w.Message(t.Context(), m)}, "parked: "+want)
	}
	foreign := sent("1", w.now, "", "")
	foreign.Bucket, foreign.URL = "", "https://example.com/a"
	w.want([]release.Outcome{w.Message(t.Context(), foreign)}, "skipped: foreign url")
}

func TestOnlyTheJSONOfAReleaseIsAMessage(t *testing.T) {
	const whole = `{"schema":1,"id":"8214","source":"orders","tenant":"acme","entity":"order-17",` +
		`"at":"2026-12-01T04:30:00.5Z","bucket":"uploads","key":"photos/17.jpg","version_id":"3L4k"}`
	m, err := release.ParseMessage(whole)
	want := release.Message{
		Schema: 1, ID: "8214", Source: "orders", Tenant: "acme", Entity: "order-17",
		At: time.Date(2026, 12, 1, 4, 30, 0, 5e8, time.UTC), Bucket: "uploads", Key: "photos/17.jpg", VersionID: "3L4k",
	}
	if err != nil || m != want {
		t.Errorf("%+v, %v", m, err)
	}
	for _, body := range []string{
		"", "hello", "[]", "null", whole + whole, strings.Replace(whole, `"key"`, `"path"`, 1), strings.Replace(whole, `"8214"`, "8214", 1),
		strings.Replace(whole, "photos", strings.Repeat("x", release.MaxMessage), 1),
	} {
		_, err := release.ParseMessage(body)
		var u *source.Unreadable
		if !errors.As(err, &u) || strings.Contains(err.Error(), "photos") {
			t.Errorf("%.40q: %v", body, err)
		}
	}
}

// Without it, two readers of one message release two objects: encoding/json takes
// the last of two equal fields and fields in another case, and puts a character of
// its own where half of one is.
func TestAMessageThatCouldBeReadInTwoWaysIsUnreadable(t *testing.T) {
	const good = `{"schema":1,"id":"1","source":"orders","at":"2026-12-01T04:30:00Z","key":"a"}`
	if _, err := release.ParseMessage(good); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"key":"a","key":"b"`, `"key":"a","KEY":"b"`, `"key":"\ud83d"`, "\"key\":\"\xff\"", `"Key":"a"`} {
		m, err := release.ParseMessage(strings.Replace(good, `"key":"a"`, key, 1))
		var u *source.Unreadable
		if !errors.As(err, &u) || m != (release.Message{}) {
			t.Errorf("%q: %+v, %v", key, m, err)
		}
	}
}

func TestEveryFieldOfAMessageIsKnown(t *testing.T) {
	m := release.Message{
		Schema: 1, ID: "1", Source: "s", Tenant: "t", Entity: "e", At: time.Unix(1, 0).UTC(), Bucket: "b", Key: "k", VersionID: "v",
	}
	for _, one := range []release.Message{m, {Schema: 1, ID: "1", Source: "s", At: m.At, URL: "s3://b/k"}} {
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := release.ParseMessage(string(text)); err != nil || got != one {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
}
