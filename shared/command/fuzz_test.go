package command

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Whatever arrives, a worker either has a command that says what the message
// says, or a bounded reason; it never dies of a message. The corpus is in
// testdata/fuzz.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(exampleBody))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := Decode(body)
		if err != nil {
			var r *Rejected
			if !errors.As(err, &r) || len(r.Reason) > 512 || !utf8.ValidString(r.Reason) || c != (upload.Command{}) {
				t.Fatalf("rejection %#v with command %+v", err, c)
			}
			return
		}
		wantSaid(t, c, body)
		again, err := Encode(c)
		if err != nil {
			t.Fatalf("decoded %+v, which cannot be encoded: %v", c, err)
		}
		if len(again) > MaxBody {
			t.Fatalf("a legal command has %d bytes", len(again))
		}
		back, err := Decode(again)
		if err != nil || back != c {
			t.Fatalf("%+v came back as %+v: %v", c, back, err)
		}
	})
}

// wantSaid: a command is what the message says, as the standard library reads it.
func wantSaid(t *testing.T, c upload.Command, body []byte) {
	t.Helper()
	var said struct {
		Run, Operation, Tenant, Upload, Reason string
		Version                                int64
		Cutoff                                 time.Time
	}
	if err := json.Unmarshal(body, &said); err != nil {
		t.Fatalf("%s is read as %+v: %v", body, c, err)
	}
	want := upload.Command{
		Run: said.Run, Operation: upload.Operation(said.Operation), ID: upload.ID{Tenant: said.Tenant, Upload: said.Upload},
		Version: said.Version, Cutoff: said.Cutoff.UTC(), Reason: said.Reason,
	}
	if c != want {
		t.Fatalf("%s is read as %+v", body, c)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("run", "claim", "acme", "u-1842", int64(7), int64(1796026200), "cancelled")
	f.Add("r", "trim", "Küche 北 😀", `\ud83d"`, int64(0), int64(1), "")
	f.Fuzz(func(t *testing.T, run, operation, tenant, id string, version, cutoff int64, reason string) {
		c := upload.Command{
			Run: run, Operation: upload.Operation(operation), ID: upload.ID{Tenant: tenant, Upload: id},
			Version: version, Cutoff: time.Unix(cutoff, 0).UTC(), Reason: reason,
		}
		body, err := Encode(c)
		if err != nil {
			return
		}
		back, err := Decode(body)
		if err != nil || back != c {
			t.Fatalf("%+v came back as %+v: %v", c, back, err)
		}
	})
}
