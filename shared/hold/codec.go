package hold

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// schema is the version of the stored form. A higher one is not read.
const schema = 1

// stored is a hold as its document holds it. Keys are any bytes: base64.
type stored struct {
	Schema       int       `json:"schema"`
	Kind         Kind      `json:"kind"`
	State        State     `json:"state"`
	Bucket       string    `json:"bucket"`
	Key          []byte    `json:"key_base64"`
	VersionID    string    `json:"version_id"`
	Size         int64     `json:"size"`
	ETag         string    `json:"etag,omitempty"`
	LastModified time.Time `json:"last_modified,omitzero"`
	Tenant       string    `json:"tenant,omitempty"`
	Upload       string    `json:"upload,omitempty"`
	KeyKnown     bool      `json:"key_known,omitempty"`
	Latest       bool      `json:"latest,omitempty"`
	FirstSeen    sighting  `json:"first_seen"`
	LastSeen     sighting  `json:"last_seen"`
	Met          sighting  `json:"met,omitzero"`
	Who          string    `json:"who,omitempty"`
	When         time.Time `json:"when,omitzero"`
	Why          string    `json:"why,omitempty"`
	WasKept      bool      `json:"was_kept,omitempty"`
	Adopted      *adopted  `json:"adopted,omitempty"`
	Restored     int       `json:"restored,omitempty"`
	Intended     time.Time `json:"marker_intended,omitzero"`
	Marker       string    `json:"marker,omitempty"`
}

type sighting struct {
	Run       string    `json:"run"`
	Inventory time.Time `json:"inventory"`
}

type adopted struct {
	Tenant string `json:"tenant"`
	Upload string `json:"upload"`
}

// Collections of a bucket's holds: HOLD#<bucket>#<shard>. The shard is the
// first digit of the id, so that the shards in order are all ids in order.
const digits = "0123456789abcdef"

func collection(bucket string, shard byte) string {
	return "HOLD#" + bucket + "#" + string(shard)
}

func (h Hold) document(expires time.Time) (ledger.Document, error) {
	s := stored{
		Schema: schema, Kind: h.Kind, State: h.State, Bucket: h.Bucket, Key: []byte(h.Key), VersionID: h.VersionID,
		Size: h.Size, ETag: h.ETag, LastModified: h.LastModified, Tenant: h.Tenant, Upload: h.Upload,
		KeyKnown: h.KeyKnown, Latest: h.Latest, FirstSeen: sighting(h.FirstSeen), LastSeen: sighting(h.LastSeen), Met: sighting(h.Met),
		Who: h.Who, When: h.When, Why: h.Why, WasKept: h.WasKept, Restored: h.Restored,
		Intended: h.Marker.Intended, Marker: h.Marker.VersionID,
	}
	if h.Adopted != (upload.ID{}) {
		s.Adopted = &adopted{h.Adopted.Tenant, h.Adopted.Upload}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return ledger.Document{}, err
	}
	id := h.ID()
	return ledger.Document{
		Collection: collection(h.Bucket, id[0]), ID: id, Data: data, Revision: h.Revision, ExpiresAt: expires,
	}, nil
}

func read(d ledger.Document) (Hold, error) {
	var s stored
	if err := json.Unmarshal(d.Data, &s); err != nil {
		return Hold{}, fmt.Errorf("read hold %.12s: %w", d.ID, err)
	}
	if s.Schema > schema {
		return Hold{}, fmt.Errorf("read hold %.12s: schema %d is unknown: %w", d.ID, s.Schema, upload.ErrRefused)
	}
	if !slices.Contains(States(), s.State) || s.Kind != Version && s.Kind != Multipart {
		return Hold{}, fmt.Errorf("read hold %.12s: its state or kind is unknown: %w", d.ID, upload.ErrRefused)
	}
	h := Hold{
		Subject: Subject{s.Kind, s.Bucket, string(s.Key), s.VersionID},
		State:   s.State, Size: s.Size, ETag: s.ETag, LastModified: s.LastModified, Tenant: s.Tenant, Upload: s.Upload,
		KeyKnown: s.KeyKnown, Latest: s.Latest, FirstSeen: Sighting(s.FirstSeen), LastSeen: Sighting(s.LastSeen), Met: Sighting(s.Met),
		Who: s.Who, When: s.When, Why: s.Why, WasKept: s.WasKept, Restored: s.Restored,
		Marker: Marker{Intended: s.Intended, VersionID: s.Marker}, Revision: d.Revision,
	}
	if s.Adopted != nil {
		h.Adopted = upload.ID{Tenant: s.Adopted.Tenant, Upload: s.Adopted.Upload}
	}
	if h.ID() != d.ID {
		return Hold{}, fmt.Errorf("read hold %.12s: it names another object: %w", d.ID, upload.ErrRefused)
	}
	return h, nil
}
