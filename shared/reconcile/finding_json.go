package reconcile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// line is a finding as a line of JSON: its members, in their order. What is
// unknown is left out; an orphan always says whether its key is known.
type line struct {
	Verdict      Verdict    `json:"verdict"`
	Bucket       string     `json:"bucket"`
	Key          *string    `json:"key,omitempty"`
	KeyBase64    *string    `json:"key_base64,omitempty"` // of a key that is not UTF-8
	VersionID    string     `json:"version_id,omitempty"`
	Size         *int64     `json:"size,omitempty"`
	LastModified *time.Time `json:"last_modified,omitempty"`
	RecordedAt   *time.Time `json:"recorded_at,omitempty"`
	Tenant       string     `json:"tenant,omitempty"`
	Upload       string     `json:"upload,omitempty"`
	KeyKnown     *bool      `json:"key_known,omitempty"`
	NullVersion  bool       `json:"null_version,omitempty"`
	Note         string     `json:"note,omitempty"`
}

// MarshalJSON writes a finding as a line of a findings file, without its end.
func (f Finding) MarshalJSON() ([]byte, error) {
	l := line{
		Verdict: f.Verdict, Bucket: f.Bucket, VersionID: f.VersionID, LastModified: known(f.LastModified),
		RecordedAt: known(f.RecordedAt), Tenant: f.Tenant, Upload: f.Upload, NullVersion: f.NullVersion, Note: f.Note,
	}
	if utf8.ValidString(f.Key) {
		l.Key = &f.Key
	} else {
		bytes := base64.StdEncoding.EncodeToString([]byte(f.Key))
		l.KeyBase64 = &bytes
	}
	if f.Size >= 0 {
		l.Size = &f.Size
	}
	if f.KeyKnown || f.Verdict == Orphan {
		l.KeyKnown = &f.KeyKnown
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// known is an instant to write: none where it is unknown, or so far off that a
// line could not say it (a broken cell, which must not fail the report).
func known(t time.Time) *time.Time {
	if t.IsZero() || t.Year() < 0 || t.Year() > 9999 {
		return nil
	}
	return &t
}

// UnmarshalJSON reads such a line. Members that it does not know are passed
// over; a verdict that it does not know is an error, and so is a line that does
// not name its object.
func (f *Finding) UnmarshalJSON(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if !slices.Contains(Verdicts(), l.Verdict) {
		return fmt.Errorf("finding: verdict %.20q is not known", l.Verdict)
	}
	key, err := l.key()
	if err != nil {
		return err
	}
	*f = Finding{
		Verdict: l.Verdict, Bucket: l.Bucket, Key: key, VersionID: l.VersionID, Size: inventory.NoSize,
		Tenant: l.Tenant, Upload: l.Upload, NullVersion: l.NullVersion, Note: l.Note,
	}
	if l.Size != nil {
		f.Size = max(*l.Size, inventory.NoSize)
	}
	f.LastModified, f.RecordedAt = orZero(l.LastModified), orZero(l.RecordedAt)
	f.KeyKnown = l.KeyKnown != nil && *l.KeyKnown
	return nil
}

// orZero is the opposite of known.
func orZero(t *time.Time) time.Time {
	if t == nil || known(t.UTC()) == nil {
		return time.Time{}
	}
	return t.UTC()
}

func (l line) key() (string, error) {
	switch {
	case l.Key != nil && l.KeyBase64 != nil:
		return "", errors.New("finding: it has a key and a key_base64")
	case l.Key != nil:
		return *l.Key, nil
	case l.KeyBase64 != nil:
		b, err := base64.StdEncoding.DecodeString(*l.KeyBase64)
		if err != nil {
			return "", errors.New("finding: key_base64 is not base64")
		}
		return string(b), nil
	}
	return "", errors.New("finding: it has neither key nor key_base64")
}
