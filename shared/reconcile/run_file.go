package reconcile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/strandline-dev/strandline/shared/objects"
)

// findings is a file of findings: as many as there are, in the memory of one.
// Only its owner can read it, it has no name once it is open, and it is gone
// when it is closed.
type findings struct {
	file   *os.File
	buffer *bufio.Writer
	out    *json.Encoder
	count  int64
}

func newFindings(dir string) (*findings, error) {
	f, err := os.CreateTemp(dir, "strandline-findings-*") // 0600
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for findings: %w", nameless(err))
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("unlink a temporary file: %w", nameless(err)), f.Close())
	}
	b := bufio.NewWriterSize(f, 64<<10)
	return &findings{file: f, buffer: b, out: json.NewEncoder(b)}, nil
}

// looked is a finding on its way to what is done about it, and what a look at
// the version showed, where there was one.
type looked struct {
	Finding
	facts objects.Facts
}

// stored is a looked one in the file. A Finding's own line of JSON leaves things
// out; a plain one does not. Keys are any bytes, which JSON's texts are not.
type stored struct {
	Finding plainFinding
	Key     []byte
	Facts   objects.Facts
}

type plainFinding Finding

func (f *findings) add(l looked) error {
	f.count++
	s := stored{Finding: plainFinding(l.Finding), Key: []byte(l.Key), Facts: l.facts}
	s.Finding.Key = ""
	if err := f.out.Encode(s); err != nil {
		return fmt.Errorf("write a finding: %w", nameless(err))
	}
	return nil
}

// all yields every finding in order. Nothing can be added after it.
func (f *findings) all() iter.Seq2[looked, error] {
	return func(yield func(looked, error) bool) {
		if err := f.buffer.Flush(); err != nil {
			yield(looked{}, fmt.Errorf("write findings: %w", nameless(err)))
			return
		}
		in := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(f.file, 0, 1<<62), 64<<10))
		for range f.count {
			var s stored
			if err := in.Decode(&s); err != nil {
				yield(looked{}, fmt.Errorf("read findings: %w", nameless(err)))
				return
			}
			s.Finding.Key = string(s.Key)
			if !yield(looked{Finding(s.Finding), s.Facts}, nil) {
				return
			}
		}
	}
}

func (f *findings) close() error { return f.file.Close() }
