package release

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/strictjson"
	"github.com/strandline-dev/strandline/shared/upload"
)

// MaxMessage is how many bytes a message may have.
const MaxMessage = 64 << 10

// ParseMessage reads a message, strictly: what an older version would not
// understand must not be left out, and nothing is read that another reader may
// read otherwise. An *source.Unreadable error names the field and holds no value.
func ParseMessage(body string) (Message, error) {
	if len(body) > MaxMessage {
		return Message{}, unreadable("message", "it has %d bytes: at most %d", len(body), MaxMessage)
	}
	fields, err := strictjson.Object([]byte(body))
	if err != nil {
		return Message{}, unreadable("message", "it is not the JSON of a release: %s", err)
	}
	for name := range fields {
		if !slices.Contains(messageFields, name) {
			return Message{}, unreadable("message", "it is not the JSON of a release: a field of it is unknown")
		}
	}
	var m Message
	if json.Unmarshal([]byte(body), &m) != nil {
		return Message{}, unreadable("message", "it is not the JSON of a release: a field of it is of the wrong kind")
	}
	return m, m.validate()
}

// messageFields are all there are, spelled as they are written.
var messageFields = []string{"schema", "id", "source", "tenant", "entity", "at", "bucket", "key", "version_id", "url"}

func (m Message) validate() error {
	if m.Schema != Schema {
		return unreadable("schema", "it is %d: expected %d", m.Schema, Schema)
	}
	for _, id := range []struct{ field, value string }{{"id", m.ID}, {"tenant", m.Tenant}} {
		if err := upload.ValidID(id.field, id.value); err != nil && (id.field != "tenant" || id.value != "") {
			return unreadable(id.field, "expected at most %d bytes of UTF-8 without control characters", upload.MaxIDBytes)
		}
	}
	switch {
	case m.Source == "":
		return unreadable("source", "it is missing")
	case m.At.IsZero():
		return unreadable("at", "it is missing")
	case (m.Key == "") == (m.URL == ""):
		return unreadable("key", "expected a key or a url")
	case m.URL != "" && m.Bucket != "":
		return unreadable("bucket", "a url says its bucket itself")
	}
	return nil
}

// Message takes a release that an outbox sent: one outcome.
func (e *Engine) Message(ctx context.Context, m Message) Outcome {
	if err := m.validate(); err != nil {
		return parked(err)
	}
	s, ok := source.ByName(e.Sources, m.Source)
	if !ok {
		return parked(unreadable("source", "it is not configured"))
	}
	if m.At.After(e.Now().Add(e.Policy.MaxClockSkew)) {
		return parked(unreadable("at", "it lies in the future: the database's clock is wrong"))
	}
	n, ours, err := named(s, m)
	switch {
	case err != nil:
		return parked(err)
	case !ours:
		return skipped(SkipForeignURL)
	}
	return e.take(ctx, gone{
		source: s, id: m.ID, at: m.At, ahead: e.Policy.MaxClockSkew, entity: m.Entity, named: n,
	})
}

// named is the object that the message names.
func named(s source.Source, m Message) (n source.Named, ours bool, err error) {
	n = source.Named{
		Tenant: m.Tenant, Spelled: m.Key + m.URL,
		Object: source.Object{Bucket: m.Bucket, Key: m.Key, VersionID: m.VersionID},
	}
	if n.Tenant == "" {
		n.Tenant = s.Tenant
	}
	if m.URL != "" {
		if n.Object, ours, err = s.ParseURL(m.URL); err != nil || !ours {
			return n, ours, err
		}
		if n.VersionID != "" && m.VersionID != "" && n.VersionID != m.VersionID {
			return n, true, unreadable("version_id", "the url names another one")
		}
		if n.VersionID == "" {
			n.VersionID = m.VersionID
		}
	}
	if n.Bucket == "" {
		n.Bucket = s.Bucket
	}
	switch {
	case n.Bucket == "":
		err = unreadable("bucket", "it is missing")
	case !s.Takes(n.Bucket):
		err = unreadable("bucket", "it is none of the source's")
	}
	return n, true, err
}

func unreadable(where, format string, args ...any) error {
	return &source.Unreadable{Where: where, Why: fmt.Sprintf(format, args...)}
}
