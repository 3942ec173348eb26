package holding

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// page is a hold as it is written for programs. What is unknown is absent.
type page struct {
	ID           string     `json:"id"`
	Kind         hold.Kind  `json:"kind"`
	State        hold.State `json:"state"`
	Bucket       string     `json:"bucket"`
	Key          *string    `json:"key,omitempty"`
	KeyBase64    string     `json:"key_base64,omitempty"`
	VersionID    string     `json:"version_id,omitempty"`
	UploadID     string     `json:"upload_id,omitempty"` // of a multipart upload
	Size         *int64     `json:"size,omitempty"`
	ETag         string     `json:"etag,omitempty"`
	LastModified time.Time  `json:"last_modified,omitzero"`
	Tenant       string     `json:"tenant,omitempty"`
	Upload       string     `json:"upload,omitempty"`
	KeyKnown     bool       `json:"key_known"`
	NullVersion  bool       `json:"null_version,omitempty"`
	Latest       bool       `json:"latest"`
	FirstSeen    seen       `json:"first_seen"`
	LastSeen     seen       `json:"last_seen"`
	Who          string     `json:"who,omitempty"`
	When         time.Time  `json:"when,omitzero"`
	Why          string     `json:"why,omitempty"`
	Adopted      string     `json:"adopted_upload,omitempty"`
	Marker       string     `json:"marker_version_id,omitempty"`
}

type seen struct {
	Run       string    `json:"run"`
	Inventory time.Time `json:"inventory_created,omitzero"`
}

func pageOf(h hold.Hold) page {
	p := page{
		ID: h.ID(), Kind: h.Kind, State: h.State, Bucket: h.Bucket, VersionID: h.VersionID,
		ETag: h.ETag, LastModified: utc(h.LastModified), Tenant: h.Tenant, Upload: h.Upload,
		KeyKnown: h.KeyKnown, NullVersion: h.NullVersion(), Latest: h.Latest,
		FirstSeen: seen{h.FirstSeen.Run, utc(h.FirstSeen.Inventory)}, LastSeen: seen{h.LastSeen.Run, utc(h.LastSeen.Inventory)},
		Who: h.Who, When: utc(h.When), Why: h.Why, Marker: h.Marker.VersionID,
	}
	if h.Kind == hold.Multipart {
		p.VersionID, p.UploadID = "", h.VersionID
	} else if h.Size >= 0 {
		p.Size = &h.Size
	}
	if utf8.ValidString(h.Key) {
		p.Key = &h.Key
	} else {
		p.KeyBase64 = base64.StdEncoding.EncodeToString([]byte(h.Key))
	}
	if h.Adopted != (upload.ID{}) {
		p.Adopted = h.Adopted.Upload
	}
	return p
}

func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
