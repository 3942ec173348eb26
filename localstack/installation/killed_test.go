package installation_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What the process that is killed is told: where it stops to be killed, and
// what it works with.
const (
	killedAt     = "STRANDLINE_TEST_KILLED_AT"
	killedTable  = "STRANDLINE_TEST_TABLE"
	killedBucket = "STRANDLINE_TEST_BUCKET"
	killedSpool  = "STRANDLINE_TEST_SPOOL"
)

// A process of an application is killed by a signal after its put and before its
// confirmation: before it could record the version, and after. Without the
// intent in the reservation nobody would come back for it; without the declared
// key nobody would find what it put.
func TestAnUploaderThatIsKilledLeavesNothing(t *testing.T) {
	if at := os.Getenv(killedAt); at != "" {
		uploadUntil(t, at)
		return
	}
	for _, at := range []string{"after the put", "before the confirmation"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := onTheWire(t, usual())
			spool := t.TempDir()
			kill(t, w, at, spool)
			if files, err := os.ReadDir(spool); err != nil || len(files) > 0 {
				t.Errorf("%d files are left, %v", len(files), err)
			}
			id := w.ofTheKilled(t)
			recorded := w.load(t, id).Manifest.Object(upload.Key{Attempt: 1, Seq: 1}).VersionID != ""
			if recorded != (at == "before the confirmation") {
				t.Errorf("its version is recorded: %v", recorded)
			}
			w.Clock.Advance(32 * time.Hour)
			w.wantPass(t, "repaired 1")
			w.Clock.Advance(time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			if r := w.load(t, id); r.State != upload.StateDeleted || r.QuotaHeld || len(w.bucket(t)) != 0 {
				t.Errorf("it is %s, quota held: %v, and %d keys stand", r.State, r.QuotaHeld, len(w.bucket(t)))
			}
		})
	}
}

// ofTheKilled names the upload of the one object that stands.
func (w *world) ofTheKilled(t *testing.T) upload.ID {
	t.Helper()
	stand := w.bucket(t)
	for key, versions := range stand {
		id, _, ok := upload.ParseObjectKey(key)
		if !ok || len(stand) != 1 || len(versions) != 1 {
			t.Fatalf("%d keys stand, this one with %d versions", len(stand), len(versions))
		}
		if r := w.load(t, id); r.State != upload.StateReceiving {
			t.Fatalf("its upload is %s", r.State)
		}
		return id
	}
	t.Fatal("nothing stands")
	return upload.ID{}
}

// kill runs this test again as a process of the application, waits until it says
// that it has come to that point, and kills it.
func kill(t *testing.T, w *world, at, spool string) {
	t.Helper()
	in, err := schema.New(strings.TrimSuffix(w.Bucket, "-uploads"), w.Policy, "uploads")
	must(t, err)
	program, err := os.Executable()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	process := exec.CommandContext(ctx, program, "-test.run=^TestAnUploaderThatIsKilledLeavesNothing$")
	process.Env = append(os.Environ(), localstacktest.EndpointVariable+"="+localstacktest.Endpoint(t),
		killedAt+"="+at, killedTable+"="+in.Ledger.Name, killedBucket+"="+w.Bucket, killedSpool+"="+spool)
	says, err := process.StdoutPipe()
	must(t, err)
	process.Stderr = os.Stderr
	must(t, process.Start())
	lines := bufio.NewScanner(says)
	for lines.Scan() && lines.Text() != at {
		if lines.Text() != "" {
			t.Log(lines.Text())
		}
	}
	must(t, process.Process.Kill())
	_, _ = io.Copy(io.Discard, says)
	if err := process.Wait(); err == nil || ctx.Err() != nil {
		t.Fatalf("the process ended by itself: %v, %v", err, ctx.Err())
	}
}

// uploadUntil is the process: it uploads, and stops at that point for good.
func uploadUntil(t *testing.T, at string) {
	cfg := localstacktest.Config(t)
	table := dynamo.New(awsconf.DynamoDB(cfg), os.Getenv(killedTable))
	takes := papers(os.Getenv(killedBucket))
	takes.Spool = os.Getenv(killedSpool)
	stop := func(here string) {
		if here == at {
			fmt.Fprintln(os.Stdout, "\n"+at)
			time.Sleep(time.Hour)
		}
	}
	service, err := intake.New(intake.Config{
		Records: stoppingLedger{table, stop}, Lookups: table, Objects: stoppingStore{s3.New(awsconf.S3(cfg)), stop},
		Policy: policy.Default(), Now: time.Now, Uploads: takes,
	})
	must(t, err)
	_, err = service.Upload(t.Context(), ann(quota), struct{ io.Reader }{paper(strings.Repeat("secret ", 20_000))}, named("secret.pdf", ""))
	t.Errorf("it came to its end: %v", err)
}

type stoppingLedger struct {
	intake.Records
	stop func(string)
}

func (l stoppingLedger) Commit(ctx context.Context, c upload.Change) error {
	if c.Event == upload.KindComplete {
		l.stop("before the confirmation")
	}
	return l.Records.Commit(ctx, c)
}

type stoppingStore struct {
	intake.Objects
	stop func(string)
}

func (s stoppingStore) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	stored, err := s.Objects.Put(ctx, bucket, key, body, c)
	if err == nil {
		s.stop("after the put")
	}
	return stored, err
}
