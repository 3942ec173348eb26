package recorder_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

const byRecorder = "recorder"

// told is an upload of two objects, of the second of which the store keeps no
// checksum, and the events of both in one.
func (w *wire) told() (*intake.Session, json.RawMessage) {
	w.t.Helper()
	s := w.reserve(2)
	var stored []storageevent.Created
	for seq, body := range []string{"front", "reverse"} {
		said := intake.Chunk{Seq: seq + 1, Size: int64(len(body)), SHA256: sumOf([]byte(body))}
		signed, err := s.Presign(w.t.Context(), said, time.Minute)
		must(w.t, err)
		key := s.Record().ObjectKey(s.Key(said.Seq))
		if seq == 0 {
			w.send(signed, []byte(body))
		} else {
			_, err := awsconf.S3(w.cloud).PutObject(w.t.Context(), &awss3.PutObjectInput{
				Bucket: aws.String(w.bucket), Key: aws.String(key), Body: strings.NewReader(body),
			})
			must(w.t, err)
		}
		head, err := awsconf.S3(w.cloud).HeadObject(w.t.Context(), &awss3.HeadObjectInput{Bucket: aws.String(w.bucket), Key: aws.String(key)})
		must(w.t, err)
		stored = append(stored, storageevent.Created{Bucket: w.bucket, Key: key, VersionID: aws.ToString(head.VersionId)})
	}
	raw, err := lambdaevent.Created(stored...)
	must(w.t, err)
	return s, raw
}

// tell hands the event to a recorder behind the set until it is done; to another
// one where it has died.
func (w *wire) tell(set *fault.Set, raw json.RawMessage) {
	w.t.Helper()
	cloud := w.cloud
	cloud.HTTPClient = set.Transport(w.cloud.HTTPClient)
	cloud.Retryer = func() aws.Retryer { // as often as the product's own, and at once
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
	}
	app, err := recorder.New(w.config, cloud)
	must(w.t, err)
	for round := 0; ; round++ {
		if round == 4 {
			w.t.Fatalf("it is not done after %d rounds: %v", round, err)
		}
		_, err = app.Handle(fault.As(w.t.Context(), byRecorder), raw)
		if dead := set.Dead(byRecorder); err == nil && !dead {
			return
		}
		set.Revive(byRecorder)
	}
}

// Every call that the recorder makes over HTTP fails once, in every way that its
// service knows, before it took effect and after it, in all attempts of the SDK
// or in the first; and the upload is complete in the end, each object recorded
// once.
func TestWhateverCallFailsOnTheWireTheEventThatComesAgainCompletes(t *testing.T) {
	w := newWire(t)
	plain := fault.New()
	s, raw := w.told()
	w.tell(plain, raw)
	w.wantState(s, upload.StateComplete)
	step := 1
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		step = 8
	}
	var faults []fault.Fault
	for _, call := range plain.Calls() {
		for _, c := range fault.Cases(call.Operation) {
			faults = append(faults, fault.Fault{Call: call, Case: c})
		}
	}
	for i := 0; i < len(faults); i += step {
		t.Run(faults[i].String(), func(t *testing.T) {
			w := *w
			w.t = t
			set := fault.New(faults[i])
			s, raw := w.told()
			w.tell(set, raw)
			r := w.wantState(s, upload.StateComplete)
			for _, k := range []upload.Key{{Attempt: 1, Seq: 1}, {Attempt: 1, Seq: 2}} {
				if o := r.Manifest.Object(k); !r.Manifest.Listed(k) || o.VersionID == "" || o.Checksum != o.Expected.Checksum {
					t.Errorf("object %d is %+v", k.Seq, o)
				}
			}
			if missed := set.Missed(); len(missed) > 0 {
				t.Errorf("not met: %v", missed)
			}
		})
	}
	if t.Logf("%d faults", len(faults)); len(faults) < 40 {
		t.Errorf("only %d faults: %v", len(faults), plain.Calls())
	}
}
