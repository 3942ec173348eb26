package orc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// stream is a range of the file as the bytes that were written to it: chunks
// are expanded one at a time.
type stream struct {
	r        io.ReaderAt
	off, end int64  // what is still to be read
	codec    *codec // nil: the bytes are stored as they are
	buf      []byte // owned, holds the chunk
	window   []byte // the part of the chunk that was not taken yet
}

// fill makes the window non-empty, or returns io.EOF at the end.
func (s *stream) fill() error {
	for len(s.window) == 0 {
		if s.off == s.end {
			return io.EOF
		}
		if err := s.chunk(); err != nil {
			return err
		}
	}
	return nil
}

// chunk reads the next chunk into the window.
func (s *stream) chunk() error {
	if s.codec == nil {
		return s.load(&s.buf, min(readSize, s.end-s.off), true)
	}
	var head [4]byte
	if s.end-s.off < 3 {
		return corrupt("a stream ends inside a chunk's header")
	}
	if err := readAt(s.r, head[:3], s.off); err != nil {
		return err
	}
	s.off += 3
	// 23 bits of length above one bit that says: stored as it is.
	h := binary.LittleEndian.Uint32(head[:])
	n, original := int64(h>>1), h&1 == 1
	if n > s.end-s.off {
		return corrupt("a chunk reaches past its stream")
	}
	if n > int64(s.codec.block) {
		return corrupt("a chunk is larger than the block of %d bytes", s.codec.block)
	}
	if original {
		return s.load(&s.buf, n, true)
	}
	if err := s.load(&s.codec.raw, n, false); err != nil {
		return err
	}
	out, err := s.codec.expand(s.buf)
	if err != nil {
		return err
	}
	s.buf, s.window = out, out
	return nil
}

// load reads n bytes, which are known to be in the file, into a buffer.
func (s *stream) load(buf *[]byte, n int64, show bool) error {
	if int64(cap(*buf)) < n {
		*buf = make([]byte, n)
	}
	*buf = (*buf)[:n]
	if err := readAt(s.r, *buf, s.off); err != nil {
		return err
	}
	s.off += n
	if show {
		s.window = *buf
	}
	return nil
}

func readAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), off, err)
}

// must is fill where the caller needs a byte.
func (s *stream) must() error {
	err := s.fill()
	if errors.Is(err, io.EOF) {
		return corrupt("a stream ends early")
	}
	return err
}

func (s *stream) readByte() (byte, error) {
	if len(s.window) == 0 {
		if err := s.must(); err != nil {
			return 0, err
		}
	}
	b := s.window[0]
	s.window = s.window[1:]
	return b, nil
}

func (s *stream) readFull(p []byte) error {
	for len(p) > 0 {
		if err := s.must(); err != nil {
			return err
		}
		n := copy(p, s.window)
		p, s.window = p[n:], s.window[n:]
	}
	return nil
}

// appendTo appends n bytes. It allocates as they come, not as they are claimed.
func (s *stream) appendTo(dst []byte, n int64) ([]byte, error) {
	for n > 0 {
		if err := s.must(); err != nil {
			return nil, err
		}
		part := s.window[:min(n, int64(len(s.window)))]
		dst = append(dst, part...)
		s.window = s.window[len(part):]
		n -= int64(len(part))
	}
	return dst, nil
}

// varint reads a base 128 varint of at most 64 bits.
func (s *stream) varint() (uint64, error) {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		b, err := s.readByte()
		if err != nil {
			return 0, err
		}
		if shift == 63 && b > 1 {
			break // Go would drop those bits, and read another number
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, corrupt("a number has more than 64 bits")
}

// finished is an error where bytes are left.
func (s *stream) finished() error {
	err := s.fill()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return corrupt("a stream goes on after its last row")
}

// readAll returns the whole stream, which may have at most limit bytes.
func (s *stream) readAll(limit int) ([]byte, error) {
	var all []byte
	for {
		err := s.fill()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(all)+len(s.window) > limit {
			return nil, corrupt("a footer is larger than %d bytes", limit)
		}
		all = append(all, s.window...)
		s.window = nil
	}
}
