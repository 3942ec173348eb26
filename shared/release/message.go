package release

import "time"

// Schema is the version of the message's form that this code writes.
const Schema = 1

// Message is one release, as an outbox sends it into the queue of releases:
// a row that named an object is gone, or names another one.
//
//	{"schema":1,"id":"8214","source":"orders","tenant":"acme","entity":"order-17",
//	 "at":"2026-12-01T04:30:00Z","bucket":"uploads","key":"photos/17.jpg","version_id":"3L4k…"}
type Message struct {
	Schema int `json:"schema"`
	// ID is the outbox row's: the same release has the same id, however often
	// it is sent. Up to 128 bytes, unique within the source.
	ID     string `json:"id"`
	Source string `json:"source"`
	Tenant string `json:"tenant"`
	// Entity names the row that named the object; may be empty.
	Entity string `json:"entity,omitempty"`
	// At is when the row went.
	At time.Time `json:"at"`
	// The object: bucket and key, literal, or a URL; the version where known.
	Bucket    string `json:"bucket,omitempty"`
	Key       string `json:"key,omitempty"`
	VersionID string `json:"version_id,omitempty"`
	URL       string `json:"url,omitempty"`
}
