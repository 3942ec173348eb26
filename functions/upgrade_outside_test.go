package functions_test

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/upload"
)

// wantLeftAloneFromOutside: recorder and relay of this version leave a record of
// the next one as it is. A notice of its object comes back, so that the next
// version has it; a release of it is put where a person finds it, since a table's
// stream, where it might come from, would not wait.
func (u *upgrade) wantLeftAloneFromOutside(r upload.Record) {
	u.t.Helper()
	o := r.Manifest.Objects[0]
	notice := map[string]any{
		"version": "0", "detail-type": "Object Created", "source": "aws.s3", "time": time.Now().UTC().Format(time.RFC3339),
		"detail": map[string]any{
			"bucket": map[string]any{"name": u.bucket},
			"object": map[string]any{"key": r.ObjectKey(o.Key), "size": o.Size, "etag": o.ETag, "version-id": o.VersionID, "sequencer": "00"},
		},
	}
	recording, err := recorder.FromEnv(map[string]string{"STRANDLINE_TABLE": u.cfg.Table})
	must(u.t, err)
	app, err := recorder.New(recording, u.cloud)
	must(u.t, err)
	answer, err := app.Handle(u.t.Context(), u.message(notice))
	must(u.t, err)
	if left, ok := answer.(events.SQSEventResponse); !ok || len(left.BatchItemFailures) != 1 {
		u.t.Errorf("%s: its notice is said to be done: %+v", r.Upload, answer)
	}

	relaying, err := relay.FromEnv(map[string]string{
		"STRANDLINE_TABLE": u.cfg.Table, "STRANDLINE_RELEASES_DEAD_URL": u.cfg.DeadLetterURL,
		"STRANDLINE_SOURCES": `[{"name":"shop","tenant":"acme","bucket":"` + u.bucket + `"}]`,
	})
	must(u.t, err)
	other, err := relay.New(relaying, u.cloud)
	must(u.t, err)
	parked, err := other.Handle(u.t.Context(), u.message(release.Message{
		Schema: release.Schema, ID: "1", Source: "shop", Tenant: "acme", At: time.Now().UTC(),
		Bucket: u.bucket, Key: r.ObjectKey(o.Key), VersionID: o.VersionID,
	}))
	must(u.t, err)
	dead := sqs.NewLetters(awsconf.SQS(u.cloud), u.cfg.DeadLetterURL)
	letters, err := dead.Receive(u.t.Context(), 10, 5*time.Second, time.Minute)
	must(u.t, err)
	if len(parked.Failures) != 0 || len(letters) != 1 || letters[0].Source != "shop" || !strings.Contains(letters[0].Reason, "schema") {
		u.t.Fatalf("%s: its release is not parked: %+v, %+v", r.Upload, parked, letters)
	}
	must(u.t, dead.Discard(u.t.Context(), letters[0].Receipt))

	if now := u.load(r); now.Version != r.Version || now.State != r.State || !u.stands(r) {
		u.t.Errorf("%s was %s at version %d, is %s at %d", r.Upload, r.State, r.Version, now.State, now.Version)
	}
}

// message is an event of SQS with one message.
func (u *upgrade) message(body any) json.RawMessage {
	u.t.Helper()
	text, err := json.Marshal(body)
	must(u.t, err)
	raw, err := json.Marshal(event(string(text)))
	must(u.t, err)
	return raw
}
