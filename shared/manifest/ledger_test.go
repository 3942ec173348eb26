package manifest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// reserved stores n uploads of three keys each, in the buckets by turns.
func reserved(t *testing.T, n int, buckets ...string) *memory.Store {
	t.Helper()
	store := memory.New()
	for i := range n {
		c, err := upload.Step(policy.Default(), upload.Record{}, upload.Reserve{
			ID: upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%04d", i)}, Owner: "alice", Holder: "w", Lease: 1e9,
			HoldUntil: began.AddDate(0, 0, 9), Bucket: buckets[i%len(buckets)], Prefix: "up", Declared: 3,
		}, began)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func readLedger(ctx context.Context, l *Ledger) (keys []string, err error) {
	for part := range l.Parts() {
		number := int64(0)
		for e, err := range l.Entries(ctx, part) {
			if err != nil {
				return nil, err
			}
			if e.Number != number {
				return nil, fmt.Errorf("entry %d of part %d has the number %d", number, part, e.Number)
			}
			number++
			keys = append(keys, string(e.Key))
		}
	}
	return keys, nil
}

func TestTheLedgerIsReadWholeInAnyNumberOfSegments(t *testing.T) {
	store := reserved(t, 100, "b", "other", "b")
	for _, segments := range []int{0, 1, 2, 7, 16} {
		l := OfLedger(store, LedgerOptions{Bucket: "b", Segments: segments})
		keys, err := readLedger(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		distinct := map[string]bool{}
		for _, k := range keys {
			distinct[k] = true
		}
		if len(keys) != 67*3 || len(distinct) != len(keys) || l.Skipped() != 33*3 || l.Parts() != max(segments, 1) {
			t.Errorf("%d segments: %d keys, %d distinct, %d skipped, %d parts", segments, len(keys), len(distinct), l.Skipped(), l.Parts())
		}
	}
}

// broken yields some records, and then an error.
type broken struct {
	records []upload.Record
	err     error
}

func (b broken) Owned(context.Context, int, int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		for _, r := range b.records {
			if !yield(r, nil) {
				return
			}
		}
		if b.err != nil && yield(upload.Record{}, b.err) {
			panic("went on after the error")
		}
	}
}

// Taken for the end, the rest of the ledger would own nothing, and all its
// objects would be orphans.
func TestAReadingOfTheLedgerThatBreaksOffIsAnError(t *testing.T) {
	l := OfLedger(broken{[]upload.Record{record(upload.StateReceiving, nil)}, upload.ErrThrottled}, LedgerOptions{Bucket: "b", Segments: 3})
	entries := 0
	for e, err := range l.Entries(t.Context(), 1) {
		if e != nil {
			entries++
			continue
		}
		if !errors.Is(err, upload.ErrThrottled) || !strings.Contains(err.Error(), "segment 2 of 3") {
			t.Errorf("got %v", err)
		}
		entries = -1
	}
	if entries != -1 {
		t.Error("no error came, or entries after it")
	}
}

// A record of a newer program may own what this one cannot read: leaving it
// out would make its objects orphans.
func TestARecordOfANewerFormatIsAnError(t *testing.T) {
	newer := record(upload.StateReceiving, func(r *upload.Record) { r.Schema++; r.Manifest = upload.Manifest{} })
	_, err := readLedger(t.Context(), OfLedger(broken{records: []upload.Record{newer}}, LedgerOptions{Bucket: "b"}))
	if err == nil || !strings.Contains(err.Error(), "use a newer one") {
		t.Errorf("got %v", err)
	}
}

func TestTheLedgerCannotBeLookedUp(t *testing.T) {
	l := OfLedger(broken{}, LedgerOptions{Bucket: "b"})
	last := error(nil)
	for _, err := range l.Lookup(t.Context(), 0, []int64{0}) {
		last = err
	}
	if last == nil || l.Seekable() {
		t.Error("an entry of the ledger was looked up")
	}
}

func TestACallerMayStopWhileItReadsTheLedger(t *testing.T) {
	l := OfLedger(broken{[]upload.Record{record(upload.StateReceiving, nil)}, errors.New("read too far")}, LedgerOptions{Bucket: "b"})
	var got []string
	for e, err := range l.Entries(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, string(e.Key)); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]string{"up/acme/u%231/1/1", "up/acme/u%231/1/2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
