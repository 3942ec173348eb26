package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxLine bounds a line of a list: a key has at most 1,024 bytes, and a
	// list that has no lines at all must not fill the memory.
	maxLine = 1 << 20
	// lineBuffer is what is read at a time.
	lineBuffer = 256 << 10
)

var errLongLine = fmt.Errorf("the line is longer than %d bytes: is it one line for each entry?", maxLine)

var errCutOff = errors.New("the file is cut off: export it again")

// lines cuts a text into its lines without allocating for each. What it
// returns holds until the next call.
type lines struct {
	from       io.Reader
	buffer     []byte
	start, end int // what is read and not yet given out
	over       bool
	// line is the number, from 1, of the first line of what was returned last;
	// more is how many lines follow it there.
	line, more int64
}

func newLines(from io.Reader) *lines {
	return &lines{from: from, buffer: make([]byte, lineBuffer)}
}

// next returns the next line without its end; io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	l.line += l.more + 1
	l.more = 0
	length, err := l.newline(0)
	if err != nil {
		return nil, err
	}
	return l.take(length), nil
}

// nextQuoted returns the next line, and those after it that a quoted cell of
// it goes on in: quotes come in pairs, also those that stand for a quote.
func (l *lines) nextQuoted() ([]byte, error) {
	l.line += l.more + 1
	l.more = 0
	length, err := l.newline(0)
	if err != nil {
		return nil, err
	}
	open := bytes.Count(l.buffer[l.start:l.start+length], quote)%2 == 1
	for open {
		from := length + 1
		if l.start+from > l.end || l.over && l.start+from == l.end {
			return nil, errors.New("a quoted cell is not closed")
		}
		if length, err = l.newline(from); err != nil {
			return nil, err
		}
		l.more++
		open = bytes.Count(l.buffer[l.start+from:l.start+length], quote)%2 == 0
	}
	return l.take(length), nil
}

var quote = []byte{'"'}

// newline returns how far the next end of a line is, looking from there on;
// the end of the text is one too. io.EOF if nothing is left.
func (l *lines) newline(from int) (int, error) {
	for {
		if i := bytes.IndexByte(l.buffer[min(l.start+from, l.end):l.end], '\n'); i >= 0 {
			if from+i > maxLine {
				return 0, errLongLine
			}
			return from + i, nil
		}
		left := l.end - l.start
		if left > maxLine {
			return 0, errLongLine
		}
		if l.over {
			if left == 0 {
				return 0, io.EOF
			}
			return left, nil
		}
		from = max(from, left)
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
}

// fill reads on behind what is there, making room first.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buffer, l.buffer[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end > len(l.buffer)/2 {
		l.buffer = append(l.buffer, make([]byte, len(l.buffer))...)
	}
	for l.end < len(l.buffer) {
		n, err := l.from.Read(l.buffer[l.end:])
		l.end += n
		if errors.Is(err, io.EOF) {
			l.over = true
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errCutOff
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take gives out the line of that length, without the end of it.
func (l *lines) take(length int) []byte {
	line := l.buffer[l.start : l.start+length]
	l.start = min(l.start+length+1, l.end)
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
