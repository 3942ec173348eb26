package parquetcolumns

import (
	"encoding/binary"
	"errors"
)

// thriftReader walks the compact protocol that Parquet's footer and page
// headers are written in, without building anything of it
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
type thriftReader struct {
	b  []byte
	at int
}

// The types of the compact protocol that need telling apart.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth is more than Parquet's own structures need.
const maxThriftDepth = 16

var (
	errThriftShort = errors.New("it ends in the middle")
	errThrift      = errors.New("it is damaged")
)

func (t *thriftReader) byte() (byte, error) {
	if t.at >= len(t.b) {
		return 0, errThriftShort
	}
	t.at++
	return t.b[t.at-1], nil
}

func (t *thriftReader) uvarint() (uint64, error) {
	n, size := binary.Uvarint(t.b[t.at:])
	switch {
	case size == 0:
		return 0, errThriftShort
	case size < 0:
		return 0, errThrift
	}
	t.at += size
	return n, nil
}

func (t *thriftReader) varint() (int64, error) {
	n, err := t.uvarint()
	return int64(n>>1) ^ -int64(n&1), err
}

// structure reads a struct: field is called for each, and takes those it knows;
// the others are skipped.
func (t *thriftReader) structure(depth int, field func(id int, kind byte) (taken bool, err error)) error {
	if depth > maxThriftDepth {
		return errThrift
	}
	for id := int64(0); ; {
		head, err := t.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := head >> 4; delta != 0 {
			id += int64(delta)
		} else if id, err = t.varint(); err != nil {
			return err
		}
		taken := false
		if field != nil {
			if taken, err = field(int(id), head&15); err != nil {
				return err
			}
		}
		if taken {
			continue
		}
		if err := t.skip(head&15, depth); err != nil {
			return err
		}
	}
}

// skip passes over a value of a field.
func (t *thriftReader) skip(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse:
		return nil
	case thriftByte:
		return t.pass(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := t.uvarint()
		return err
	case thriftDouble:
		return t.pass(8)
	case thriftBinary:
		n, err := t.uvarint()
		if err != nil {
			return err
		}
		return t.pass(n)
	case thriftList, thriftSet:
		return t.skipList(depth)
	case thriftMap:
		return t.skipMap(depth)
	case thriftStruct:
		return t.structure(depth+1, nil)
	}
	return errThrift
}

func (t *thriftReader) pass(n uint64) error {
	if n > uint64(len(t.b)-t.at) {
		return errThriftShort
	}
	t.at += int(n)
	return nil
}

// skipList holds a list's length against what is left of the bytes: decoders
// allocate by it.
func (t *thriftReader) skipList(depth int) error {
	head, err := t.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = t.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(t.b)-t.at) {
		return errThriftShort
	}
	for range n {
		if err := t.skipElement(head&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (t *thriftReader) skipMap(depth int) error {
	n, err := t.uvarint()
	if err != nil || n == 0 {
		return err
	}
	if n > uint64(len(t.b)-t.at) {
		return errThriftShort
	}
	kinds, err := t.byte()
	if err != nil {
		return err
	}
	for range n {
		if err := errors.Join(t.skipElement(kinds>>4, depth+1), t.skipElement(kinds&15, depth+1)); err != nil {
			return err
		}
	}
	return nil
}

// skipElement passes over an element: a boolean takes a byte there.
func (t *thriftReader) skipElement(kind byte, depth int) error {
	if depth > maxThriftDepth {
		return errThrift
	}
	if kind == thriftTrue || kind == thriftFalse {
		return t.pass(1)
	}
	return t.skip(kind, depth)
}
