package reconcile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

const (
	chunkBits = 20
	chunkSize = 1 << chunkBits
)

// scratch is the temporary space of one comparison: blocks that are written
// once at a place of their own and read back. The first few megabytes stay in
// memory, so that a small comparison needs no file; the rest is one file, which
// loses its name as soon as it is open, so that not even a killed process
// leaves it behind.
type scratch struct {
	dir    string
	inside int64 // so much stays in memory

	mu     sync.Mutex
	next   int64
	chunks [][]byte
	file   *os.File
	named  bool // the system does not take the name of an open file away
}

func newScratch(dir string, memory int64) *scratch {
	inside := memory &^ (chunkSize - 1)
	return &scratch{dir: dir, inside: inside, chunks: make([][]byte, inside>>chunkBits)}
}

// reserve returns the place of n bytes that nobody else has.
func (s *scratch) reserve(n int) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next < s.inside && s.next+int64(n) > s.inside {
		s.next = s.inside
	}
	at := s.next
	s.next += int64(n)
	if at < s.inside {
		for c := at >> chunkBits; c <= (s.next-1)>>chunkBits; c++ {
			if s.chunks[c] == nil {
				s.chunks[c] = make([]byte, chunkSize)
			}
		}
		return at, nil
	}
	return at, s.open()
}

// open makes the file at its first use; mu is held.
func (s *scratch) open() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp(s.dir, "strandline-")
	if err != nil {
		return fmt.Errorf("make a temporary file: %w", nameless(err))
	}
	s.file, s.named = f, os.Remove(f.Name()) != nil
	return nil
}

// write puts a block at its place. No two callers write to the same.
func (s *scratch) write(p []byte, at int64) error {
	if at < s.inside {
		for len(p) > 0 {
			n := copy(s.chunks[at>>chunkBits][at&(chunkSize-1):], p)
			p, at = p[n:], at+int64(n)
		}
		return nil
	}
	if _, err := s.file.WriteAt(p, at-s.inside); err != nil {
		return fmt.Errorf("write temporary data: %w", nameless(err))
	}
	return nil
}

// append writes a block to a new place and returns it.
func (s *scratch) append(p []byte) (int64, error) {
	at, err := s.reserve(len(p))
	if err != nil {
		return 0, err
	}
	return at, s.write(p, at)
}

// read fills p from a place that was written.
func (s *scratch) read(p []byte, at int64) error {
	if at < s.inside {
		for len(p) > 0 {
			n := copy(p, s.chunks[at>>chunkBits][at&(chunkSize-1):])
			p, at = p[n:], at+int64(n)
		}
		return nil
	}
	if _, err := s.file.ReadAt(p, at-s.inside); err != nil {
		return fmt.Errorf("read temporary data back: %w", nameless(err))
	}
	return nil
}

// readSome is read for a place near the end: it fills as much of p as there is.
func (s *scratch) readSome(p []byte, at int64) (int, error) {
	if at < s.inside {
		n := int(min(int64(len(p)), s.inside-at, (int64(len(s.chunks))<<chunkBits)-at))
		for n > 0 && s.chunks[(at+int64(n)-1)>>chunkBits] == nil {
			n = int((at+int64(n)-1)>>chunkBits<<chunkBits - at)
		}
		return n, s.read(p[:n], at)
	}
	n, err := s.file.ReadAt(p, at-s.inside)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("read temporary data back: %w", nameless(err))
	}
	return n, nil
}

// onDisk is how many bytes of the file were given away.
func (s *scratch) onDisk() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.next-s.inside)
}

// close gives the space back.
func (s *scratch) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// nameless takes the file's name out of an error of the file system: it says
// nothing to a reader, and errors are logged.
func nameless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Op, path.Err)
	}
	return err
}
