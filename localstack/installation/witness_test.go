package installation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// witness compares what the functions write to the ledger with what they say of
// it in the audit trail. It stands on both sides of the script: beneath it is
// what was done, above it what the function was told.
type witness struct {
	trail *telemetry.Trail

	mu sync.Mutex
	// done is every write of a function that was done, told those of which it had
	// no answer but a failure: it may have died there.
	done, told map[string]bool
	lines      []audit.Line
	texts      []string
}

func newWitness() *witness {
	w := &witness{done: map[string]bool{}, told: map[string]bool{}}
	w.trail = telemetry.TrailTo(w, nil, slog.New(slog.DiscardHandler))
	return w
}

// Write takes a line of the trail, as a function's log does.
func (w *witness) Write(text []byte) (int, error) {
	var l audit.Line
	if err := json.Unmarshal(text, &l); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines, w.texts = append(w.lines, l), append(w.texts, string(text))
	return len(text), nil
}

var _ io.Writer = (*witness)(nil)

// beneath and above put the witness in front of a ledger.
func (w *witness) beneath(l installation.Ledger) installation.Ledger {
	return witnessed{l, func(c upload.Change, err error) {
		if err == nil {
			w.done[keyOf(c)] = true
		}
	}, &w.mu}
}

func (w *witness) above(l installation.Ledger) installation.Ledger {
	return witnessed{l, func(c upload.Change, err error) {
		if err != nil && !errors.Is(err, upload.ErrUnclear) {
			w.told[keyOf(c)] = true
		}
	}, &w.mu}
}

// ofFunctions are the events that only functions apply; the last one others too,
// but not beneath a witness.
var ofFunctions = []upload.Kind{
	upload.KindDefer, upload.KindRepair, upload.KindExpire, upload.KindClaim, upload.KindTrim, upload.KindResupersede,
	upload.KindReclaim, upload.KindContinue, upload.KindUnclear, upload.KindRetry, upload.KindFinish, upload.KindReopen,
	upload.KindWithdraw,
}

// ofWriters are events of which the functions' are in the trail, and those of
// applications are not.
var ofWriters = []upload.Kind{upload.KindComplete, upload.KindCancel, upload.KindExtendHold, upload.KindAddReference}

func keyOf(c upload.Change) string {
	return fmt.Sprintf("%s of upload %s/%s, version %d", c.Event, c.After.Tenant, c.After.Upload, c.After.Version)
}

type witnessed struct {
	installation.Ledger
	note func(upload.Change, error)
	mu   *sync.Mutex
}

func (l witnessed) Commit(ctx context.Context, c upload.Change) error {
	err := l.Ledger.Commit(ctx, c)
	if c.Nothing() || !slices.Contains(slices.Concat(ofFunctions, ofWriters), c.Event) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(c, err)
	return err
}

// assertTrail: every write of a function has exactly one line, and a line that
// is sure of itself is of a write that was done. Without the look at the record
// after a lost answer, a claim or a finish of which nobody was told is missing
// here.
func assertTrail(t *testing.T, w *witness, records []upload.Record) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	sure, unclear := map[string]int{}, map[string]int{}
	for i, l := range w.lines {
		assertWords(t, l)
		for _, r := range records {
			if strings.Contains(w.texts[i], r.Folder()) {
				t.Errorf("an audit line holds a key: %s", w.texts[i])
			}
		}
		if l.Upload == "" || l.Hold != "" && l.Version == 0 {
			continue
		}
		key := fmt.Sprintf("%s of upload %s/%s, version %d", l.What, l.Tenant, l.Upload, l.Version)
		if l.Outcome == audit.Unclear {
			unclear[key]++
			continue
		}
		if sure[key]++; !w.done[key] {
			t.Errorf("the trail says %s, and it was not done", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.done)) {
		what, _, _ := strings.Cut(key, " of ")
		unsaid := w.told[key] || slices.Contains(ofWriters, upload.Kind(what))
		if n := sure[key]; n > 1 || n+unclear[key] == 0 && !unsaid {
			t.Errorf("%s was done and has %d lines in the trail", key, n)
		}
	}
}

// assertWords: who, what and when are in every line, and in the words that the
// document lists.
func assertWords(t *testing.T, l audit.Line) {
	t.Helper()
	whats := audit.Decisions()
	for _, k := range upload.Kinds() {
		whats = append(whats, string(k))
	}
	if l.Schema != audit.Schema || l.At.IsZero() || l.Who == "" || !slices.Contains(whats, l.What) || l.After == "" {
		t.Errorf("the audit line is not whole: %+v", l)
	}
	byRun := !slices.Contains([]string{"recorder", "relay"}, l.Who) // these are told, and run by themselves
	if changes := l.Upload != "" && l.Hold == ""; changes && (byRun && l.Run == "" || l.Why == "" || l.Version == 0 || l.Before == "") {
		t.Errorf("the audit line does not say of which run or why: %+v", l)
	}
}
