package findings

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/reconcile"
)

// line is a finding as it is written. What is unknown is absent.
type line struct {
	Verdict   reconcile.Verdict `json:"verdict"`
	Bucket    string            `json:"bucket"`
	Key       *string           `json:"key,omitempty"`
	KeyBase64 string            `json:"key_base64,omitempty"`
	VersionID string            `json:"version_id,omitempty"`
	Size      *int64            `json:"size,omitempty"`
	// Instants are RFC 3339 in UTC.
	LastModified string `json:"last_modified,omitempty"`
	RecordedAt   string `json:"recorded_at,omitempty"`
	Tenant       string `json:"tenant,omitempty"`
	Upload       string `json:"upload,omitempty"`
	KeyKnown     *bool  `json:"key_known,omitempty"`
	NullVersion  bool   `json:"null_version,omitempty"`
	Note         string `json:"note,omitempty"`
}

// encode writes one finding as one line.
func encode(to *json.Encoder, f *reconcile.Finding) error {
	l := line{
		Verdict: f.Verdict, Bucket: f.Bucket, VersionID: f.VersionID,
		LastModified: instant(f.LastModified), RecordedAt: instant(f.RecordedAt),
		Tenant: f.Tenant, Upload: f.Upload, NullVersion: f.NullVersion, Note: f.Note,
	}
	// JSON has no way to say a key that is not UTF-8, and a reader must not
	// take one with its bytes replaced for another object.
	if utf8.ValidString(f.Key) {
		l.Key = &f.Key
	} else {
		l.KeyBase64 = base64.StdEncoding.EncodeToString([]byte(f.Key))
	}
	if f.Size >= 0 {
		l.Size = &f.Size
	}
	if f.Verdict == reconcile.Orphan || f.KeyKnown {
		l.KeyKnown = &f.KeyKnown
	}
	return to.Encode(l)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
