package cleanup

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// chunkSize is how many candidates lie in one piece: whole batches, so that no
// batch lies in two.
const chunkSize = 10 * batchSize

// candidate is a [Candidate] as a plan keeps it: 48 bytes without a pointer,
// since a plan may hold a million. Its strings lie in its chunk.
type candidate struct {
	version int64
	due     int64
	objects int64
	bytes   int64
	id      uint32 // where its upload's id begins in the chunk's ids
	tenant  uint16 // which of the chunk's words
	bucket  uint16
	reason  uint16
	idBytes uint8
	action  upload.Action
	op      uint8
	writes  bool
}

func (c *candidate) count() Amount { return Amount{Uploads: 1, Objects: c.objects, Bytes: c.bytes} }

// chunk is up to chunkSize candidates in a row, in memory of exactly their
// size: a plan grows by chunks and copies none.
type chunk struct {
	list []candidate
	ids  string // of uploads, one after the other
	// words are the tenants, buckets and reasons, each once, one after the
	// other; ends says where each ends.
	words string
	ends  []uint32
}

func (k *chunk) word(i uint16) string {
	begin := uint32(0)
	if i > 0 {
		begin = k.ends[i-1]
	}
	return k.words[begin:k.ends[i]]
}

func (k *chunk) id(c *candidate) upload.ID {
	return upload.ID{Tenant: k.word(c.tenant), Upload: k.ids[c.id : c.id+uint32(c.idBytes)]}
}

// place is the position behind the candidate's entry.
func (k *chunk) place(c *candidate) ledger.Position {
	return ledger.Position{ID: k.id(c), At: time.UnixMilli(c.due).UTC()}
}

func (k *chunk) full(c *candidate) Candidate {
	id := k.id(c)
	return Candidate{
		Tenant: id.Tenant, Upload: id.Upload, Version: c.version, Due: c.due,
		Action: c.action.String(), Operation: operations[c.op], Reason: k.word(c.reason),
		Writes: c.writes, Bucket: k.word(c.bucket), Objects: c.objects, Bytes: c.bytes,
	}
}

// chunks are a shard's candidates. They are added one by one, then sealed, and
// only then read.
type chunks struct {
	sealed []chunk
	open   *draft
}

// draft is the chunk that is being filled. Its memory is used again for the
// next one.
type draft struct {
	list   []candidate
	ids    []byte
	words  []byte
	ends   []uint32
	number map[string]uint16
}

// put keeps a candidate with its strings, which may be parts of larger ones.
func (s *chunks) put(c candidate, id upload.ID, bucket, reason string) error {
	if len(id.Upload) > upload.MaxIDBytes {
		return fmt.Errorf("an upload id of %d bytes: at most %d", len(id.Upload), upload.MaxIDBytes)
	}
	if s.open == nil {
		s.open = &draft{number: map[string]uint16{}}
	}
	d := s.open
	c.id, c.idBytes = uint32(len(d.ids)), uint8(len(id.Upload))
	d.ids = append(d.ids, id.Upload...)
	c.tenant, c.bucket, c.reason = d.word(id.Tenant), d.word(bucket), d.word(reason)
	if d.list = append(d.list, c); len(d.list) == chunkSize {
		s.close()
	}
	return nil
}

func (d *draft) word(s string) uint16 {
	if i, ok := d.number[s]; ok {
		return i
	}
	i := uint16(len(d.ends))
	d.words = append(d.words, s...)
	d.ends = append(d.ends, uint32(len(d.words)))
	d.number[string(d.words[len(d.words)-len(s):])] = i // a copy: s may be part of a whole record
	return i
}

// close turns the draft into a chunk.
func (s *chunks) close() {
	d := s.open
	s.sealed = append(s.sealed, chunk{
		list: slices.Clone(d.list), ids: string(d.ids), words: string(d.words), ends: slices.Clone(d.ends),
	})
	d.list, d.ids, d.words, d.ends = d.list[:0], d.ids[:0], d.words[:0], d.ends[:0]
	clear(d.number)
}

// seal ends the adding.
func (s *chunks) seal() {
	if s.open != nil && len(s.open.list) > 0 {
		s.close()
	}
	s.open = nil
}

func (s *chunks) count() int {
	if len(s.sealed) == 0 {
		return 0
	}
	last := len(s.sealed) - 1 // all before it are full
	return last*chunkSize + len(s.sealed[last].list)
}

// at is candidate i and its chunk.
func (s *chunks) at(i int) (*chunk, *candidate) {
	k := &s.sealed[i/chunkSize]
	return k, &k.list[i%chunkSize]
}

// all yields each candidate with its chunk, in order, from number from on.
func (s *chunks) all(from int) iter.Seq2[*chunk, *candidate] {
	return func(yield func(*chunk, *candidate) bool) {
		for i := from; i < s.count(); i++ {
			if !yield(s.at(i)) {
				return
			}
		}
	}
}

// batch is the part of a chunk that begins at candidate begin: up to batchSize.
func (s *chunks) batch(begin int) (*chunk, []candidate) {
	if begin >= s.count() {
		return nil, nil
	}
	k, in := &s.sealed[begin/chunkSize], begin%chunkSize
	return k, k.list[in:min(in+batchSize, len(k.list))]
}
