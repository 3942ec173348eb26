package starting

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/lambdaevent"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// world is an installation on the emulator, which nobody removes: it ends with
// the emulator.
type world struct {
	*installation.Installation
	cloud    *installation.Cloud
	endpoint string
	table    string
	count    int
}

const tenant = "acme"

func newWorld(ctx context.Context, endpoint string) (*world, error) {
	w := &world{endpoint: endpoint}
	prefix := "start-" + strings.ToLower(rand.Text()[:8])
	w.table = prefix + "-ledger"
	var err error
	w.Installation, w.cloud, err = installation.OnCloud(ctx, awsconf.ForEndpoint(endpoint), prefix, installation.Options{
		Policy: policy.Default(), Real: time.Now, Clock: installation.NewClock(time.Now, time.Now()),
	})
	if err != nil {
		return nil, err
	}
	return w, w.Census(ctx)
}

// variables are what a function is told.
func (w *world) variables(f function) []string {
	all := []string{"AWS_ENDPOINT_URL=" + w.endpoint, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "STRANDLINE_TABLE=" + w.table}
	for _, v := range f.variables(w) {
		all = append(all, "STRANDLINE_"+v)
	}
	return all
}

// body is what every object here holds.
var body = []byte("data")

func content() objects.Content {
	sum := sha256.Sum256(body)
	return objects.Content{Size: int64(len(body)), SHA256: sum[:]}
}

// stored is an object that was just put under a key.
func (w *world) stored(ctx context.Context, key string) (objects.Stored, error) {
	return w.Stores.Objects.Put(ctx, w.Bucket, key, bytes.NewReader(body), content())
}

// reserved is an upload that was begun just now, and its one object, which
// nobody has recorded.
func (w *world) reserved(ctx context.Context) (*intake.Session, string, objects.Stored, error) {
	s, err := w.Intake.Reserve(ctx, intake.Request{
		Tenant: tenant, Owner: "ann", Holder: "writer", Lease: time.Minute, Bucket: w.Bucket, Prefix: "in", Chunks: 1,
	})
	if err != nil {
		return nil, "", objects.Stored{}, err
	}
	key := s.Record().ObjectKey(s.Key(1))
	o, err := w.stored(ctx, key)
	return s, key, o, err
}

// cancelled is an upload of one object that was given up eight hours ago, and so
// is due.
func (w *world) cancelled(ctx context.Context) (r upload.Record, err error) {
	w.count++
	at := time.Now().Add(-8 * time.Hour)
	apply := func(e upload.Event) {
		if err != nil {
			return
		}
		var change upload.Change
		if change, err = upload.Step(w.Policy, r, e, at); err == nil {
			err = w.Stores.Ledger.Commit(ctx, change)
		}
		r = change.After
	}
	apply(upload.Reserve{
		ID: upload.ID{Tenant: tenant, Upload: fmt.Sprintf("due-%d", w.count)}, Owner: "ann", Holder: "writer",
		Lease: time.Minute, Deadline: 5 * time.Minute, Bucket: w.Bucket, Prefix: "in", Declared: 1,
	})
	if err != nil {
		return r, err
	}
	o, err := w.stored(ctx, r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}))
	apply(upload.RecordObject{Fence: 1, Seq: 1, VersionID: o.VersionID, Size: int64(len(body)), ETag: o.ETag})
	apply(upload.Cancel{Fence: 1, Reason: "measured"})
	return r, err
}

// message is an event of SQS with one message.
func message(text string) ([]byte, error) {
	return lambdaevent.Messages(command.Received{MessageID: "m-1", Receipt: "r-1", Body: text, Receives: 1})
}
