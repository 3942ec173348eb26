package dynamo

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func id(n int) upload.ID { return upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%04d", n)} }

func reserving(n, declared int) upload.Reserve {
	return upload.Reserve{
		ID: id(n), Owner: "alice", Holder: "writer-1", Lease: 5 * time.Minute,
		HoldUntil: start.Add(48 * time.Hour), Bucket: "bucket", Prefix: "up", Declared: declared,
	}
}

func change(t *testing.T, r upload.Record, e upload.Event, now time.Time) upload.Change {
	t.Helper()
	c, err := upload.Step(policy.Default(), r, e, now)
	if err != nil {
		t.Fatalf("the core refuses: %v", err)
	}
	return c
}

func commit(t *testing.T, s *Store, r upload.Record, e upload.Event, now time.Time) upload.Record {
	t.Helper()
	c := change(t, r, e, now)
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("commit: %v", err)
	}
	return c.After
}

func expectError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func expectStored(t *testing.T, s *Store, want upload.Record) {
	t.Helper()
	got, err := s.Load(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored is another (-want +got):\n%s", diff)
	}
}

// Without the stamp, the repetition of a write that was done meets itself and
// is told that somebody else changed the record: a worker drops its own claim,
// an application reserves a second time.
func TestAWriteWhoseAnswerWasLostIsRecognisedAsOnesOwn(t *testing.T) {
	s, w := faulty(t)
	w.on("PutItem", lost(1))
	r := commit(t, s, upload.Record{}, reserving(1, 3), start)
	w.on("PutItem", lost(2))
	r = commit(t, s, r, upload.Heartbeat{Fence: 1}, start)
	expectStored(t, s, r)

	e := reserving(2, 3)
	e.QuotaLimit, e.ContentHash = 1, "sha"
	w.on("TransactWriteItems", lost(1))
	expectStored(t, s, commit(t, s, upload.Record{}, e, start))
	e.ID, e.ContentHash, e.Owner = id(3), "sha2", "bob"
	w.on("TransactWriteItems", withoutToken(lost(2)))
	expectStored(t, s, commit(t, s, upload.Record{}, e, start))
	if used, err := s.QuotaUsed(t.Context(), "acme", "bob"); err != nil || used != 1 {
		t.Errorf("%d places are taken, %v", used, err)
	}

	d := ledger.Document{Collection: "LEASE", ID: "pass", Data: []byte("mine")}
	for range 2 {
		w.on("PutItem", lost(1))
		if err := s.Put(t.Context(), d); err != nil {
			t.Errorf("put on revision %d: %v", d.Revision, err)
		}
		d.Revision++
	}
}

func TestAWriteWhoseAnswersAreAllLostIsUnclear(t *testing.T) {
	s, w := faulty(t)
	w.on("PutItem", lost(100))
	c := change(t, upload.Record{}, reserving(1, 3), start)
	expectError(t, "commit", s.Commit(t.Context(), c), upload.ErrUnclear)
	w.on("PutItem", nil)
	expectStored(t, s, c.After)
}

// A lost answer, and another's write before the repetition: not one's own any
// more, and the caller has to look.
func TestALostAnswerFollowedByAnothersWriteIsAChange(t *testing.T) {
	s, w := faulty(t)
	r := commit(t, s, upload.Record{}, reserving(1, 3), start)
	other := New(s.client, *s.table)
	w.on("PutItem", func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if n != 1 {
			return send()
		}
		got, err := lost(1)(n, nil, send)
		w.on("PutItem", nil)
		mine, loadErr := other.Load(t.Context(), r.ID)
		if loadErr != nil {
			t.Error(loadErr)
		}
		commit(t, other, mine, upload.Heartbeat{Fence: 1}, start.Add(time.Minute))
		return got, err
	})
	err := s.Commit(t.Context(), change(t, r, upload.Heartbeat{Fence: 1}, start))
	expectError(t, "commit", err, upload.ErrChanged)
}

const conflict = `,"CancellationReasons":[{"Code":"None"},{"Code":"TransactionConflict"}]`

func withQuota() upload.Reserve {
	e := reserving(1, 3)
	e.QuotaLimit = 5
	return e
}

func TestATransactionInAnothersWayIsSentAgainAndThenThrottled(t *testing.T) {
	s, w := faulty(t)
	c := change(t, upload.Record{}, withQuota(), start)
	w.on("TransactWriteItems", refusing(1, "TransactionCanceledException", conflict))
	expectError(t, "always in the way", s.Commit(t.Context(), c), upload.ErrThrottled)
	if w.calls["TransactWriteItems"] != maxTries {
		t.Errorf("sent %d times, want %d", w.calls["TransactWriteItems"], maxTries)
	}
	w.on("TransactWriteItems", refusing(1, "TransactionCanceledException",
		`,"CancellationReasons":[{"Code":"None"},{"Code":"ProvisionedThroughputExceeded"}]`))
	expectError(t, "throttled inside", s.Commit(t.Context(), c), upload.ErrThrottled)
	w.on("TransactWriteItems", func(n int, req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if n > 3 {
			return send()
		}
		return refusing(1, "TransactionCanceledException", conflict)(n, req, send)
	})
	if err := s.Commit(t.Context(), c); err != nil {
		t.Errorf("in the way three times: %v", err)
	}
	expectStored(t, s, c.After)
}

func TestATransactionWhoseFirstTryIsUnderWayIsUnclear(t *testing.T) {
	s, w := faulty(t)
	w.on("TransactWriteItems", refusing(1, "TransactionInProgressException", ""))
	expectError(t, "commit", s.Commit(t.Context(), change(t, upload.Record{}, withQuota(), start)), upload.ErrUnclear)
}

func TestReasonsThatDoNotFitTheTransactionAreNeverASuccess(t *testing.T) {
	s, w := faulty(t)
	c := change(t, upload.Record{}, withQuota(), start)
	for name, reasons := range map[string]string{
		"none at all":   "",
		"too few":       `,"CancellationReasons":[{"Code":"None"}]`,
		"all are none":  `,"CancellationReasons":[{"Code":"None"},{"Code":"None"}]`,
		"a new code":    `,"CancellationReasons":[{"Code":"None"},{"Code":"SomethingNew"}]`,
		"not the quota": `,"CancellationReasons":[{"Code":"ValidationError"},{"Code":"None"}]`,
	} {
		w.on("TransactWriteItems", refusing(1, "TransactionCanceledException", reasons))
		if err := s.Commit(t.Context(), c); err == nil || errors.Is(err, upload.ErrQuota) || errors.Is(err, upload.ErrChanged) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWhatDynamoDBWouldNotStoreIsRefusedBeforeAnythingIsSent(t *testing.T) {
	s, w := faulty(t)
	r := commit(t, s, upload.Record{}, reserving(1, upload.MaxDeclared), start)
	tooLong := change(t, r, upload.Heartbeat{Fence: 1}, start)
	tooLong.After.LastError = strings.Repeat("x", 400<<10)
	tooMany := upload.Declare{Fence: 1}
	for seq := 1; seq <= upload.MaxDeclared; seq += perPage {
		tooMany.Multiparts = append(tooMany.Multiparts, upload.Multipart{Key: upload.Key{Attempt: 1, Seq: seq}, UploadID: "m"})
	}
	notText := upload.Adopt{ID: id(2), Source: "orphan", Objects: []upload.Explicit{{Bucket: "b", Key: "\xff", VersionID: "v"}}}
	notInline := upload.Adopt{ID: id(2), Source: "orphan"}
	for range maxInlineExplicit + 1 {
		notInline.Objects = append(notInline.Objects, upload.Explicit{Bucket: "b", Key: "k\xff", VersionID: "v"})
	}
	forgetting := change(t, r, upload.Heartbeat{Fence: 1}, start)
	forgetting.Before.Manifest.Objects = []upload.Object{{Key: upload.Key{Attempt: 1, Seq: 1}, VersionID: "v"}}
	farAway := change(t, r, upload.Heartbeat{Fence: 1}, start) // the core takes no such hold
	farAway.After.DueAt = start.AddDate(10_000, 0, 0)
	w.on("PutItem", nil)
	w.on("TransactWriteItems", nil)
	for what, c := range map[string]upload.Change{
		"an item over 400 KB":             tooLong,
		"more than 100 items":             change(t, r, tooMany, start),
		"a key that is not UTF-8":         change(t, upload.Record{}, notText, start),
		"a paged key that is not UTF-8":   change(t, upload.Record{}, notInline, start),
		"objects that leave the manifest": forgetting,
		"due in the year 12026":           farAway,
	} {
		expectError(t, what, s.Commit(t.Context(), c), upload.ErrRefused)
	}
	if w.calls["PutItem"]+w.calls["TransactWriteItems"] != 0 {
		t.Error("something was sent")
	}
	expectStored(t, s, r)
}

func TestARecordOfANewerSchemaIsLeftAloneAndAnUnknownStateIsAnError(t *testing.T) {
	s, _ := faulty(t)
	store := func(n int, schema int64, state string) {
		it := item(uploadKey(id(n)).attributes())
		it["schema"], it["state"], it["version"] = number(schema), text(state), number(4)
		if _, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: s.table, Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	store(1, upload.Schema+1, "archived")
	store(2, upload.Schema, "archived")
	got, err := s.Load(t.Context(), id(1))
	if err != nil || got.Schema != upload.Schema+1 || got.Version != 4 {
		t.Errorf("got %+v, %v", got, err)
	}
	d, err := upload.Decide(policy.Default(), got, start, start)
	if err != nil || d.Action != upload.Skip {
		t.Errorf("a pass would %v, %v", d, err)
	}
	if got, err := s.Load(t.Context(), id(2)); err == nil {
		t.Errorf("got %+v", got)
	}
}
