package cleanup

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
)

const (
	planSchema = 1
	// planKept is when a stored plan may be forgotten: it can be approved for a
	// day, and looked at for a week.
	planKept = 7 * 24 * time.Hour
)

func planOf(run string) string { return "PLAN#" + run }

func planPage(n int) string { return fmt.Sprintf("%06d", n) }

// planHead begins a plan's canonical form; its candidates follow, one JSON
// value each, shard by shard.
type planHead struct {
	Schema int         `json:"schema"`
	Run    string      `json:"run"`
	Cutoff time.Time   `json:"cutoff"`
	Shards []shardHead `json:"shards"`
}

// shardHead is what executing a shard's part needs beside the candidates: where
// the cursor stood, and its revision, so that a cursor that has moved since is
// left alone.
type shardHead struct {
	Cursor   cursor `json:"cursor"`
	Revision int64  `json:"revision"`
	Round    leg    `json:"round"`
	Front    leg    `json:"front"`
}

// encode writes the plan's canonical form to w, if there is one, and returns
// its SHA-256 in hex.
func (p *Plan) encode(w io.Writer) (string, error) {
	sum := sha256.New()
	var out io.Writer = sum
	if w != nil {
		out = io.MultiWriter(sum, w)
	}
	encoder := json.NewEncoder(out)
	head := planHead{Schema: planSchema, Run: p.run, Cutoff: p.cutoff, Shards: make([]shardHead, len(p.shards))}
	for i, s := range p.shards {
		head.Shards[i] = shardHead{Cursor: s.cursor, Revision: s.cursor.revision, Round: s.round, Front: s.front}
	}
	if err := encoder.Encode(head); err != nil {
		return "", err
	}
	for c := range p.Candidates() {
		if err := encoder.Encode(&c); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// decodePlan reads what encode wrote, and gives it the digest of what was
// really read.
func decodePlan(r io.Reader) (*Plan, error) {
	sum := sha256.New()
	in := io.TeeReader(r, sum)
	decoder := json.NewDecoder(in)
	var head planHead
	if err := decoder.Decode(&head); err != nil {
		return nil, err
	}
	if head.Schema != planSchema || len(head.Shards) != ledger.Shards {
		return nil, fmt.Errorf("schema %d with %d shards: expected %d with %d",
			head.Schema, len(head.Shards), planSchema, ledger.Shards)
	}
	plan := &Plan{run: head.Run, cutoff: head.Cutoff, shards: make([]shardPlan, ledger.Shards)}
	for i, h := range head.Shards {
		h.Cursor.revision = h.Revision
		if h.Round.Count < 0 || h.Front.Count < 0 || h.Round.Count+h.Front.Count < 0 { // too many to add up
			return nil, fmt.Errorf("shard %d has %d and %d candidates", i, h.Round.Count, h.Front.Count)
		}
		s := shardPlan{shard: i, cursor: h.Cursor, round: h.Round, front: h.Front}
		for range h.Round.Count + h.Front.Count {
			var c Candidate
			if err := decoder.Decode(&c); err != nil {
				return nil, err
			}
			if err := s.add(c); err != nil {
				return nil, err
			}
		}
		s.seal()
		plan.shards[i] = s
	}
	if err := decoder.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
		return nil, errors.New("more candidates than the shards say")
	}
	plan.digest = hex.EncodeToString(sum.Sum(nil))
	return plan, nil
}

// storePlan keeps the plan as compressed pages of at most ledger.MaxDocument
// bytes and returns how many.
func (p Pass) storePlan(ctx context.Context, plan *Plan, now time.Time) (int, error) {
	pages := &pageWriter{
		ctx: ctx, documents: p.Documents, run: plan.run, expires: now.Add(planKept),
		page: make([]byte, 0, ledger.MaxDocument),
	}
	zip := gzip.NewWriter(pages)
	if _, err := plan.encode(zip); err != nil {
		return 0, fmt.Errorf("store plan of run %s: %w", plan.run, err)
	}
	if err := zip.Close(); err != nil {
		return 0, fmt.Errorf("store plan of run %s: %w", plan.run, err)
	}
	if err := pages.flush(); err != nil {
		return 0, fmt.Errorf("store plan of run %s: %w", plan.run, err)
	}
	return pages.count, nil
}

// pageWriter cuts a stream into documents. It holds one, whatever the stream's
// length.
type pageWriter struct {
	ctx       context.Context
	documents Documents
	run       string
	expires   time.Time
	page      []byte
	count     int
}

func (w *pageWriter) Write(data []byte) (int, error) {
	written := len(data)
	for len(data) > 0 {
		n := min(len(data), ledger.MaxDocument-len(w.page))
		w.page = append(w.page, data[:n]...)
		data = data[n:]
		if len(w.page) == ledger.MaxDocument {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

// flush stores the page, over one that an earlier attempt left.
func (w *pageWriter) flush() error {
	if len(w.page) == 0 {
		return nil
	}
	old, err := w.documents.Get(w.ctx, planOf(w.run), planPage(w.count))
	if err != nil {
		return err
	}
	err = w.documents.Put(w.ctx, ledger.Document{
		Collection: planOf(w.run), ID: planPage(w.count), Data: w.page,
		Revision: old.Revision, ExpiresAt: w.expires,
	})
	w.page, w.count = w.page[:0], w.count+1
	return err
}

// pageReader is the stream that a pageWriter cut. It holds one document.
type pageReader struct {
	ctx       context.Context
	documents Documents
	run       string
	pages     int
	next      int
	page      []byte
}

func (r *pageReader) Read(into []byte) (int, error) {
	for len(r.page) == 0 {
		if r.next == r.pages {
			return 0, io.EOF
		}
		doc, err := r.documents.Get(r.ctx, planOf(r.run), planPage(r.next))
		if err != nil {
			return 0, fmt.Errorf("page %d: %w", r.next, err)
		}
		r.page, r.next = doc.Data, r.next+1
	}
	n := copy(into, r.page)
	r.page = r.page[n:]
	return n, nil
}

// StoredPlan reads the plan of a paused run: what a person looks at before
// approving it. A plan that is not whole is an error.
func (p Pass) StoredPlan(ctx context.Context, run string) (*Plan, error) {
	r, err := p.openRun(ctx, run)
	if err != nil {
		return nil, err
	}
	return p.loadPlan(ctx, r.report)
}

func (p Pass) loadPlan(ctx context.Context, r Report) (*Plan, error) {
	zip, err := gzip.NewReader(&pageReader{ctx: ctx, documents: p.Documents, run: r.Run, pages: r.Pages})
	if err != nil {
		return nil, fmt.Errorf("plan of run %s, %d pages: %w", r.Run, r.Pages, err)
	}
	plan, err := decodePlan(zip)
	if err != nil {
		return nil, fmt.Errorf("plan of run %s, %d pages: %w", r.Run, r.Pages, err)
	}
	if plan.run != r.Run || plan.digest != r.Digest {
		return nil, fmt.Errorf("plan of run %s has digest %s: the run says %s", r.Run, plan.digest, r.Digest)
	}
	return plan, nil
}
