package installation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/upload"
)

// attempt is one upload in which one call fails, and what its client was told.
type attempt struct {
	fault []fault.Fault
	body  []byte
	key   string
	told  intake.Uploaded
	err   error
}

// TestEveryCallOfAnUploadFailsOnTheWire: an upload in parts makes each of its
// calls over HTTP, and each fails once: refused, done without an answer, and
// with the process that made it. What a client is told of as a success is
// complete; what it asks for again is answered with what is complete, or was
// given up; and in the end nothing stands but what somebody was told of.
func TestEveryCallOfAnUploadFailsOnTheWire(t *testing.T) {
	t.Parallel()
	w := onTheWire(t, roomy())
	all := w.attempts(t)
	w.upload(t, all)
	for i := range all {
		if a := &all[i]; a.err == nil {
			w.wantComplete(t, a)
		}
	}
	w.Clock.Advance(w.Policy.MaxLease + time.Minute) // whoever died has no lease any more
	for i := range all {
		all[i].fault = nil
	}
	first := slices.Clone(all)
	w.upload(t, all)
	for i := range all {
		switch a, before := &all[i], first[i]; {
		case a.err == nil && before.err == nil && a.told.VersionID != before.told.VersionID:
			t.Errorf("%s: told of another version", a.key)
		case a.err == nil:
			w.wantComplete(t, a)
		case before.err == nil || !errors.Is(a.err, intake.ErrGivenUp):
			t.Errorf("%s: told %v, and again %v", a.key, before.err, a.err)
		}
	}
	w.letTimePass(t)
	w.wantNothingElse(t, all)
}

// attempts lists an upload for each call that an upload makes, and each way in
// which that one is to fail.
func (w *world) attempts(t *testing.T) []attempt {
	t.Helper()
	set := fault.New()
	must(t, func() error {
		_, err := w.wireUploader(t, set).Upload(fault.As(t.Context(), byWriter), ann(quota), bytes.NewReader(inParts("sound")), named("a.pdf", "sound"))
		return err
	}())
	cases := []fault.Case{{When: fault.After, Kind: fault.Reset}, {When: fault.Before, Kind: fault.Denied}, {When: fault.After, Kind: fault.Death}}
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		cases = cases[:1]
	}
	var all []attempt
	operations := map[string]bool{}
	for _, call := range set.Calls() {
		operations[call.Operation] = true
		for _, c := range cases {
			if !slices.Contains(fault.Cases(call.Operation), c) {
				continue
			}
			f := fault.Fault{Call: call, Case: c}
			all = append(all, attempt{fault: []fault.Fault{f}, key: f.String(), body: inParts(f.String())})
		}
	}
	for _, want := range []string{"S3.CreateMultipartUpload", "S3.UploadPart", "S3.CompleteMultipartUpload", "DynamoDB.TransactWriteItems"} {
		if !operations[want] {
			t.Errorf("an upload does not call %s", want)
		}
	}
	return all
}

// inParts is a document of a part and a bit.
func inParts(words string) []byte {
	return append([]byte("%PDF-1.7\n"+words+"\n"), make([]byte, objects.MinPartBytes)...)
}

// wireUploader is a process of the application whose calls go through the set.
func (w *world) wireUploader(t *testing.T, set *fault.Set) *intake.Service {
	t.Helper()
	in, err := schema.New(strings.TrimSuffix(w.Bucket, "-uploads"), w.Policy, "uploads")
	must(t, err)
	cfg := localstacktest.Config(t)
	cfg.HTTPClient = set.Transport(cfg.HTTPClient)
	cfg.Retryer = impatient
	table := dynamo.New(awsconf.DynamoDB(cfg), in.Ledger.Name)
	service, err := intake.New(intake.Config{
		Records: table, Lookups: table, Objects: s3.New(awsconf.S3(cfg)), Policy: w.Policy, Now: w.Clock.Now, Uploads: papers(w.Bucket),
	})
	must(t, err)
	return service
}

// upload makes all attempts, some at once.
func (w *world) upload(t *testing.T, all []attempt) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(4)
	for i := range all {
		a := &all[i]
		set := fault.New(a.fault...)
		service := w.wireUploader(t, set)
		group.Go(func() error {
			a.told, a.err = service.Upload(fault.As(t.Context(), byWriter), ann(quota), bytes.NewReader(a.body), named("a.pdf", a.key))
			if missed := set.Missed(); len(missed) > 0 {
				return fmt.Errorf("no call met the fault: %s", missed[0])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

func (w *world) wantComplete(t *testing.T, a *attempt) {
	t.Helper()
	r := w.load(t, a.told.ID)
	facts, err := w.Stores.Objects.Stat(t.Context(), w.Bucket, a.told.Key, a.told.VersionID)
	if err != nil || r.State != upload.StateComplete || facts.Size != int64(len(a.body)) {
		t.Errorf("%s: told of a success, it is %s, %+v, %v", a.key, r.State, facts, err)
	}
}

// wantNothingElse expects that what stands is what somebody was told of, and
// the one upload that met no fault.
func (w *world) wantNothingElse(t *testing.T, all []attempt) {
	t.Helper()
	told := 1
	for _, a := range all {
		if a.err == nil {
			told++
		}
	}
	stand := w.bucket(t)
	for key, versions := range stand {
		id, _, ok := upload.ParseObjectKey(key)
		if r := w.load(t, id); !ok || len(versions) != 1 || r.State != upload.StateComplete {
			t.Errorf("%d versions stand, of upload %s, which is %s", len(versions), r.Upload, r.State)
		}
	}
	if len(stand) != told {
		t.Errorf("%d objects stand, clients were told of %d", len(stand), told)
	}
	for m, err := range w.Stores.Objects.Multiparts(context.WithoutCancel(t.Context()), w.Bucket, "") {
		must(t, err)
		t.Errorf("multipart upload %s is open", m.UploadID)
	}
}
