package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
)

// TestTheMemoryThatAnUploadTakesDoesNotGrowWithIt uploads a file that is much
// larger than what it may take: one that seeks, and a stream of a part of it.
// STRANDLINE_BOUNDS=full has it upload 5 GiB.
func TestTheMemoryThatAnUploadTakesDoesNotGrowWithIt(t *testing.T) {
	const most = 16 << 20
	size := int64(512 << 20)
	switch os.Getenv("STRANDLINE_BOUNDS") {
	case "reduced":
		size = 96 << 20
	case "full":
		size = 5 << 30
	}
	for name, body := range map[string]io.Reader{
		"one that seeks": io.NewSectionReader(repeated{}, 0, size),
		"a stream":       stream{io.NewSectionReader(repeated{}, 0, size/8)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.quiet = true // what it puts is not kept
			sink := &sink{}
			d := w.desk(w.ledger, sink, func(c *intake.Config) {
				c.Uploads.PartBytes = 8 << 20
				c.Uploads.Limits = validate.Limits{Kinds: map[string]validate.Rules{"paper": {MaxBytes: 6 << 30, Types: []validate.Type{validate.PDF()}}}}
			})
			runtime.GC()
			before := heap()
			done, err := d.Upload(w.ctx, w.ours(), body, about(""))
			w.must(err)
			if sink.bytes != done.Size || sink.wrong > 0 {
				t.Errorf("%d bytes of %d came, %d parts were wrong", sink.bytes, done.Size, sink.wrong)
			}
			took := int64(sink.peak) - int64(before)
			t.Logf("%d MiB took %.1f MiB of memory at most", done.Size>>20, float64(took)/(1<<20))
			if took > most {
				t.Errorf("%d bytes took %d of memory, more than %d", done.Size, took, most)
			}
			d.wantNoFile(t)
		})
	}
}

// repeated is a document without an end.
type repeated struct{}

func (repeated) ReadAt(p []byte, off int64) (int, error) {
	for n := 0; n < len(p); {
		at := (off + int64(n)) % int64(len(tile))
		n += copy(p[n:], tile[at:])
	}
	if off == 0 {
		copy(p, "%PDF-1.7\n")
	}
	return len(p), nil
}

var tile = bytes.Repeat([]byte("secret "), 4096)

// sink is a store that keeps nothing but the most memory that it has seen in
// use.
type sink struct {
	intake.Objects // nothing else is asked of it

	mu    sync.Mutex
	bytes int64
	wrong int
	peak  uint64
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func (s *sink) UploadPart(_ context.Context, _, _, _ string, p objects.Part, body io.Reader) (objects.Part, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peak = max(s.peak, heap())
	if s.bytes += n; n != p.Size || !bytes.Equal(sum.Sum(nil), p.SHA256) {
		s.wrong++
	}
	p.ETag = fmt.Sprintf("e-%d", p.Number)
	return p, err
}

func (s *sink) BeginMultipart(context.Context, string, string, string) (string, error) {
	return "m-1", nil
}

func (s *sink) CompleteMultipart(context.Context, string, string, string, []objects.Part) (objects.Stored, error) {
	return objects.Stored{VersionID: "v-1", ETag: "e"}, nil
}

func (s *sink) Put(_ context.Context, _, _ string, body io.Reader, _ objects.Content) (objects.Stored, error) {
	n, err := io.Copy(io.Discard, body)
	s.bytes += n
	return objects.Stored{VersionID: "v-1", ETag: "e"}, err
}
