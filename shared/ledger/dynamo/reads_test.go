package dynamo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// unprocess moves all answered items but the first few into UnprocessedKeys.
func unprocess(s *Store, keep int) func(map[string]any) {
	return func(body map[string]any) {
		responses := body["Responses"].(map[string]any)
		items := responses[*s.table].([]any)
		keep := min(keep, len(items))
		var keys []any
		for _, it := range items[keep:] {
			it := it.(map[string]any)
			keys = append(keys, map[string]any{"pk": it["pk"], "sk": it["sk"]})
		}
		responses[*s.table] = items[:keep]
		if len(keys) > 0 {
			body["UnprocessedKeys"] = map[string]any{*s.table: map[string]any{"Keys": keys, "ConsistentRead": true}}
		}
	}
}

// Without the repetition an upload that was left unprocessed would look as if
// it did not exist, and nothing would ever clean it.
func TestWhatABatchLeavesUnprocessedIsAskedForAgain(t *testing.T) {
	s, w := faulty(t)
	var ids []upload.ID
	for n := range 12 {
		ids = append(ids, commit(t, s, upload.Record{}, reserving(n, 3), start).ID)
	}
	w.on("BatchGetItem", edited(3, unprocess(s, 3)))
	all, err := s.LoadMany(t.Context(), ids)
	if err != nil || w.calls["BatchGetItem"] != 4 {
		t.Fatalf("%d calls, %v", w.calls["BatchGetItem"], err)
	}
	for i, r := range all {
		if r.ID != ids[i] {
			t.Errorf("place %d: got %v", i, r.ID)
		}
	}
	w.on("BatchGetItem", edited(100, unprocess(s, 0)))
	all, err = s.LoadMany(t.Context(), ids)
	expectError(t, "never processed", err, upload.ErrThrottled)
	if all != nil {
		t.Errorf("%d records came with the error", len(all))
	}
}

func empty(lastKey map[string]any) func(map[string]any) {
	return func(body map[string]any) {
		body["Items"], body["Count"], body["LastEvaluatedKey"] = []any{}, 0, lastKey
	}
}

func jsonKey(parts ...string) map[string]any {
	k := map[string]any{}
	for i := 0; i < len(parts); i += 2 {
		k[parts[i]] = map[string]any{"S": parts[i+1]}
	}
	return k
}

// An empty page is not the end: whoever takes it for one plans nothing, or
// counts nothing.
func TestAnEmptyPageWithAContinuationIsNotTheEnd(t *testing.T) {
	s, w := faulty(t)
	r := commit(t, s, upload.Record{}, reserving(1, 3), start)
	d := ledger.Document{Collection: "RUN#x", ID: "one"}
	if err := s.Put(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	before := ledger.Due{ID: r.ID, At: start.Add(-time.Hour)}
	w.on("Query", edited(1, empty(jsonKey("pk", uploadKey(r.ID).pk, "sk", headSK,
		"due_shard", dueShard(ledger.Shard(r.ID)), "due_at", dueSort(before.At, before.ID)))))
	page, err := s.Due(t.Context(), ledger.Shard(r.ID), ledger.Position{}, r.DueAt, 10)
	if err != nil || !page.More || len(page.Entries) != 0 || page.Next != ledger.Position(before) {
		t.Fatalf("got %+v, %v", page, err)
	}
	page, err = s.Due(t.Context(), ledger.Shard(r.ID), page.Next, r.DueAt, 10)
	if err != nil || len(page.Entries) != 1 {
		t.Errorf("then %+v, %v", page, err)
	}
	w.on("Query", edited(1, empty(jsonKey("pk", "RUN#x", "sk", "a"))))
	if n := count(t, s, "RUN#x"); n != 1 {
		t.Errorf("%d documents", n)
	}
	completed := commit(t, s, r, upload.Complete{Fence: 1}, start)
	commit(t, s, completed, upload.AddReference{Reference: upload.Reference{Source: "s", Entity: "e"}}, start)
	w.on("Query", edited(1, empty(jsonKey("pk", uploadKey(r.ID).pk, "sk", "R#a"))))
	found := 0
	for _, err := range s.References(t.Context(), r.ID) {
		if found++; err != nil {
			t.Error(err)
		}
	}
	if found != 1 {
		t.Errorf("%d references", found)
	}
	w.on("Scan", edited(1, empty(jsonKey("pk", "T#nobody", "sk", "#"))))
	for _, err := range s.Holdings(t.Context(), 0, 1) {
		if err != nil {
			t.Error(err)
		}
	}
	if w.calls["Scan"] != 2 {
		t.Errorf("the scan ended after %d calls", w.calls["Scan"])
	}
	w.on("Scan", edited(1, empty(jsonKey("pk", "T#nobody", "sk", "#"))))
	for _, err := range s.Owned(t.Context(), 0, 1) {
		if err != nil {
			t.Error(err)
		}
	}
	if w.calls["Scan"] != 2 {
		t.Errorf("the scan for what is owned ended after %d calls", w.calls["Scan"])
	}
	w.on("Scan", edited(1, empty(jsonKey("pk", "T#nobody", "sk", "#"))))
	for _, err := range s.Parked(t.Context(), 0, 1) {
		if err != nil {
			t.Error(err)
		}
	}
	if w.calls["Scan"] != 2 {
		t.Errorf("the scan for what is parked ended after %d calls", w.calls["Scan"])
	}
}

func count(t *testing.T, s *Store, collection string) int {
	t.Helper()
	n := 0
	for _, err := range s.List(t.Context(), collection, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestAThrottledCallIsThrottledWhicheverItIs(t *testing.T) {
	s, w := faulty(t)
	for _, operation := range []string{"PutItem", "GetItem", "Query", "Scan", "BatchGetItem", "TransactWriteItems"} {
		w.on(operation, refusing(1, "ProvisionedThroughputExceededException", ""))
	}
	ctx := t.Context()
	_, load := s.Load(ctx, id(1))
	_, many := s.LoadMany(ctx, []upload.ID{id(1)})
	_, due := s.Due(ctx, 0, ledger.Position{}, start, 1)
	_, get := s.Get(ctx, "RUN", "x")
	_, used := s.QuotaUsed(ctx, "t", "o")
	_, use := s.KeyUse(ctx, "t", "o", "k")
	_, ref := s.Reference(ctx, id(1), upload.Reference{Source: "s", Entity: "e"})
	errs := map[string]error{
		"load": load, "load many": many, "due": due, "get": get, "quota": used, "key": use, "reference": ref,
		"put":         s.Put(ctx, ledger.Document{Collection: "RUN", ID: "x"}),
		"commit":      s.Commit(ctx, change(t, upload.Record{}, reserving(1, 3), start)),
		"transaction": s.Commit(ctx, change(t, upload.Record{}, withQuota(), start)),
	}
	for _, err := range s.List(ctx, "RUN", "", "") {
		errs["list"] = err
	}
	for _, err := range s.Holdings(ctx, 0, 1) {
		errs["holdings"] = err
	}
	for _, err := range s.Owned(ctx, 0, 1) {
		errs["owned"] = err
	}
	for _, err := range s.Parked(ctx, 0, 1) {
		errs["parked"] = err
	}
	for _, err := range s.References(ctx, id(1)) {
		errs["references"] = err
	}
	if len(errs) != 15 {
		t.Errorf("%d methods were tried", len(errs))
	}
	for what, err := range errs {
		expectError(t, what, err, upload.ErrThrottled)
	}
}

// Without this, whatever lies on the page that was not read does not exist: a
// manifest is short, and objects stay for ever; a census is low, and a limit
// that is a share of it too.
func TestAnErrorOnTheSecondPageIsAnErrorAndNeverAShorterAnswer(t *testing.T) {
	s, w := faulty(t)
	e := upload.Adopt{ID: id(1), Source: "orphan"}
	for n := range upload.MaxExplicit {
		e.Objects = append(e.Objects, upload.Explicit{
			Bucket: "b", Key: fmt.Sprintf("%04d", n) + strings.Repeat("x", 1_020), VersionID: strings.Repeat("v", 100),
		})
	}
	commit(t, s, upload.Record{}, e, start)
	for n := range 5 {
		d := ledger.Document{Collection: "PLAN", ID: fmt.Sprint(n), Data: make([]byte, 300_000)}
		if err := s.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for _, operation := range []string{"Query", "Scan", "BatchGetItem"} {
		w.on(operation, refusing(2, "ProvisionedThroughputExceededException", ""))
	}
	_, err := s.Load(t.Context(), id(1))
	expectError(t, "load", err, upload.ErrThrottled)
	w.on("Query", refusing(2, "ProvisionedThroughputExceededException", ""))
	for d, last := range s.List(t.Context(), "PLAN", "", "") {
		if err = last; last != nil && d.ID != "" {
			t.Errorf("a document came with the error: %+v", d)
		}
	}
	expectError(t, "list", err, upload.ErrThrottled)
	for _, last := range s.Holdings(t.Context(), 0, 1) {
		err = last
	}
	expectError(t, "holdings", err, upload.ErrThrottled)
	w.on("Scan", refusing(2, "ProvisionedThroughputExceededException", ""))
	for r, last := range s.Owned(t.Context(), 0, 1) {
		if err = last; last != nil && r.Upload != "" {
			t.Errorf("a record came with the error: %v", r.ID)
		}
	}
	expectError(t, "owned", err, upload.ErrThrottled)
	w.on("Scan", refusing(2, "ProvisionedThroughputExceededException", ""))
	for r, last := range s.Parked(t.Context(), 0, 1) {
		if err = last; last != nil && r.Upload != "" {
			t.Errorf("a record came with the error: %v", r.ID)
		}
	}
	expectError(t, "parked", err, upload.ErrThrottled)
	var ids []upload.ID
	for n := range 150 {
		ids = append(ids, id(1_000+n))
	}
	all, err := s.LoadMany(t.Context(), ids)
	expectError(t, "load many", err, upload.ErrThrottled)
	if all != nil {
		t.Errorf("%d records came with the error", len(all))
	}
}

// Without the sum, a manifest of which a page is missing would be purged in
// part and called done.
func TestAManifestWhosePagesDoNotBelongToItsHeadIsReadAgain(t *testing.T) {
	s, w := faulty(t)
	r := commit(t, s, upload.Record{}, reserving(1, 500), start)
	for _, seq := range []int{1, 30, 60} {
		r = commit(t, s, r, upload.RecordObject{Fence: 1, Seq: seq, VersionID: "v"}, start)
	}
	tear := func(body map[string]any) { body["Items"] = body["Items"].([]any)[:2] }
	w.on("Query", edited(2, tear))
	expectStored(t, s, r)
	if w.calls["Query"] != 3 {
		t.Errorf("read %d times", w.calls["Query"])
	}
	w.on("Query", nil)
	_, err := s.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: s.table, Key: pageKey(r.ID, pageAt{1, 1}).attributes(),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(t.Context(), r.ID)
	expectError(t, "a page is missing", err, upload.ErrChanged)
	_, err = s.LoadMany(t.Context(), []upload.ID{r.ID})
	expectError(t, "a page is missing, loaded with many", err, upload.ErrChanged)
}
