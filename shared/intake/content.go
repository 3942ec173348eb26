package intake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/objects"
)

// content is a body that was read to its end and can be read again, from any
// place.
type content struct {
	at    io.ReaderAt
	from  int64 // where it begins in at
	size  int64 // before it is read: what it says of itself, if it can seek
	sum   []byte
	kind  validate.Type
	parts []objects.Part // in which it is put, if it is larger than one
	file  *os.File       // of a body that cannot seek
}

// section reads a part of the content; it can seek.
func (c *content) section(off, n int64) *io.SectionReader {
	return io.NewSectionReader(c.at, c.from+off, n)
}

func (c *content) close() {
	if c.file != nil {
		_ = c.file.Close()
		_ = os.Remove(c.file.Name()) // gone already, but where open files keep their name
	}
}

// take reads the body to its end. It judges the media type before it reads
// more than the beginning, and the size while it reads; it reads for as long as
// somebody waits for it.
func (s *Service) take(ctx context.Context, a asked, body io.Reader) (*content, error) {
	c, read, err := s.open(a, body)
	if err != nil {
		return nil, err
	}
	if err := c.read(a, &awaited{ctx: ctx, from: read}, s.uploads.PartBytes); err != nil {
		c.close()
		return nil, failure(err)
	}
	return c, nil
}

// awaited is a reader that nobody reads from once its caller has gone, once it
// has failed, whatever it says after that, or when it never says anything.
type awaited struct {
	ctx  context.Context
	from io.Reader
	over error // what its last read said
	idle int   // reads in a row that brought nothing
}

// mostIdle is how often in a row a reader may bring nothing.
const mostIdle = 100

func (a *awaited) Read(p []byte) (n int, err error) {
	if a.over == nil {
		a.over = a.ctx.Err()
	}
	if a.over != nil {
		return 0, a.over
	}
	n, a.over = a.from.Read(p)
	if a.idle++; n > 0 {
		a.idle = 0
	}
	if a.idle > mostIdle && a.over == nil {
		a.over = io.ErrNoProgress
	}
	return n, a.over
}

// failure: what the client did wrong is told apart from what broke.
func failure(err error) error {
	var refusal *validate.Refusal
	if errors.As(err, &refusal) {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return fmt.Errorf("read the body: %w", err)
}

// open finds a way to read the body twice: itself, if it can seek, or a file
// that its first reading fills.
func (s *Service) open(a asked, body io.Reader) (*content, io.Reader, error) {
	type seeker interface {
		io.ReaderAt
		io.Seeker
	}
	if b, ok := body.(seeker); ok {
		if from, err := b.Seek(0, io.SeekCurrent); err == nil { // a pipe is a file that cannot
			end, err := b.Seek(0, io.SeekEnd)
			if err == nil {
				_, err = b.Seek(from, io.SeekStart)
			}
			c := &content{at: b, from: from, size: end - from}
			if err == nil {
				err = a.rules.Whole(a.meta.Size, end-from)
			}
			if err != nil {
				return nil, nil, failure(err)
			}
			return c, c.section(0, end-from), nil
		}
	}
	file, err := spool(s.uploads.Spool)
	if err != nil {
		return nil, nil, err
	}
	a.rules.MaxBytes = min(a.rules.MaxBytes, s.uploads.MaxSpool)
	return &content{at: file, file: file}, io.TeeReader(a.rules.Meter(body, a.meta.Size), kept{file}), nil
}

// spool makes a file that has no name: whatever becomes of this process, it
// goes with it.
func spool(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "strandline-")
	if err != nil {
		return nil, errors.New("a file to keep the body in cannot be made: is there a folder for it, and may this process write there")
	}
	_ = os.Remove(file.Name()) // some systems refuse: then it goes when it is closed
	return file, nil
}

// kept is where a body is kept. Its errors name no file.
type kept struct{ file *os.File }

var errNotKept = errors.New("the body cannot be kept in its file: is the disk full")

func (k kept) Write(b []byte) (int, error) {
	n, err := k.file.Write(b)
	if err != nil {
		err = errNotKept
	}
	return n, err
}

// read hashes the whole content and each part of it, in one go.
func (c *content) read(a asked, from io.Reader, partBytes int64) error {
	head := make([]byte, validate.HeadBytes)
	n, err := io.ReadFull(from, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if c.kind, err = a.rules.Content(a.name.Extension, head[:n]); err != nil {
		return err
	}
	whole := sha256.New()
	sums := &partSums{each: partBytes}
	size, err := io.Copy(io.MultiWriter(whole, sums), io.MultiReader(bytes.NewReader(head[:n]), from))
	if err == nil && c.file == nil && size != c.size {
		err = fmt.Errorf("it has %d bytes, and only %d came: %w", c.size, size, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return err
	}
	c.size = size
	c.sum = whole.Sum(nil)
	if c.size > partBytes {
		c.parts = sums.done()
	}
	return nil
}

// hashing hashes what it shows, so that it can be said afterwards whether that
// was the content.
type hashing struct {
	from io.Reader
	sum  hash.Hash
	read int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.from.Read(p)
	h.sum.Write(p[:n])
	h.read += int64(n)
	return n, err
}

// partSums hashes what is written to it in parts of one size.
type partSums struct {
	each  int64
	parts []objects.Part
	open  hash.Hash
	size  int64 // of the open one
}

func (p *partSums) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		if p.open == nil {
			p.open = sha256.New()
		}
		n := min(int64(len(b)), p.each-p.size)
		p.open.Write(b[:n])
		p.size, b = p.size+n, b[n:]
		if p.size == p.each {
			p.close()
		}
	}
	return written, nil
}

func (p *partSums) close() {
	p.parts = append(p.parts, objects.Part{Number: len(p.parts) + 1, Size: p.size, SHA256: p.open.Sum(nil)})
	p.open, p.size = nil, 0
}

func (p *partSums) done() []objects.Part {
	if p.open != nil {
		p.close()
	}
	return p.parts
}
