package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
)

// heldOnWire makes an installation with one object that is held.
func heldOnWire(t *testing.T, prefix, key string) (table, bucket string, h hold.Hold) {
	t.Helper()
	onWire(t)
	cfg := localstacktest.Config(t)
	in, _ := created(t, cfg, prefix)
	table, bucket = in.Ledger.Name, in.Buckets[0].Name
	client := awsconf.S3(cfg)
	version := put(t, client, bucket, key, []byte("nobody's"))
	facts, err := s3.New(client).Stat(t.Context(), bucket, key, version)
	must(t, err)
	book, run := hold.Book{Documents: dynamo.New(awsconf.DynamoDB(cfg), table)}, hold.Sighting{Run: "run-1", Inventory: time.Now().Add(-time.Hour)}
	h, _, err = book.See(t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: bucket, Key: key, VersionID: version},
		Size:    facts.Size, ETag: facts.ETag, LastModified: facts.LastModified, Latest: true, By: run,
	}, time.Now())
	must(t, err)
	must(t, book.SetView(t.Context(), bucket, hold.View{Run: run.Run, Inventory: run.Inventory, ManifestAt: time.Now(), Finished: time.Now()}))
	return table, bucket, h
}

// TestAHoldIsListedApprovedRestoredAndKeptOnTheWire: the operator's whole way.
func TestAHoldIsListedApprovedRestoredAndKeptOnTheWire(t *testing.T) {
	table, bucket, h := heldOnWire(t, "command-holds", "imports/a b+c.png")
	t.Setenv("STRANDLINE_TABLE", table)
	t.Setenv("STRANDLINE_BUCKET", bucket)
	id := h.ID()[:12]
	for _, step := range []struct {
		args     []string
		code     int
		says     string
		versions int
	}{
		{[]string{"list"}, exitOK, " m  8 B   current  \"imports/a b+c.png\"\n", 1},
		{[]string{"show", id}, exitOK, "version        " + h.VersionID + ", current when last seen\n", 1},
		{[]string{"approve", id}, exitFailed, "there is nobody to ask", 1},
		{[]string{"restore", id, "--yes"}, exitFailed, "it is open, not approved", 1},
		{[]string{"approve", id, "--yes", "--who", "ann"}, exitOK, id + "  approved, hidden; due ", 2},
		{[]string{"list", "--state", "open"}, exitOK, "no such holds in bucket " + bucket, 2},
		{[]string{"keep", id, "--yes"}, exitFailed, "is approved", 2},
		{[]string{"show", id}, exitOK, "state          approved by ann, ", 2},
		{[]string{"restore", id, "--yes"}, exitOK, id + "  restored  ", 1},
		{[]string{"keep", id, "--yes", "--why", "the importer's"}, exitOK, id + "  kept  ", 1},
		{[]string{"approve", "0000", "--yes"}, exitFailed, "strandline holds list --state all", 1},
	} {
		got := runLine(t.Context(), append([]string{"holds"}, step.args...)...)
		if got.code != step.code || !strings.Contains(got.out+got.errs, step.says) {
			t.Errorf("holds %v: exit %d, expected %d with %q; it says\n%s%s", step.args, got.code, step.code, step.says, got.out, got.errs)
		}
		if got.code == exitFailed && strings.Count(got.errs, "\n") != 1 {
			t.Errorf("holds %v: more than one line: %q", step.args, got.errs)
		}
		if n := versionsOf(t, bucket); n != step.versions {
			t.Errorf("after holds %v there are %d versions and markers, expected %d", step.args, n, step.versions)
		}
	}
	got := runLine(t.Context(), "holds", "list", "--json")
	var line map[string]any
	must(t, json.Unmarshal([]byte(got.out), &line))
	if line["id"] != h.ID() || line["key"] != "imports/a b+c.png" || line["state"] != "kept" || line["why"] != "the importer's" {
		t.Errorf("as JSON: %v", line)
	}
}

func versionsOf(t *testing.T, bucket string) int {
	t.Helper()
	out, err := awsconf.S3(localstacktest.Config(t)).ListObjectVersions(t.Context(), &awss3.ListObjectVersionsInput{Bucket: aws.String(bucket)})
	must(t, err)
	return len(out.Versions) + len(out.DeleteMarkers)
}
