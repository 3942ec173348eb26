package gunzip

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// The flags of a member's header.
const (
	flagCRC     = 1 << 1
	flagExtra   = 1 << 2
	flagName    = 1 << 3
	flagComment = 1 << 4
	flagUnknown = 0xe0
)

// startMember reads a member's header. The file ends where one could begin.
func (r *Reader) startMember() error {
	if err := r.fill(maxHeader); err != nil {
		return err
	}
	if r.inPos == r.inEnd && r.members > 0 {
		return io.EOF
	}
	sum := uint32(0)
	bytes := func(n int) ([]byte, error) {
		b, err := r.bytes(n)
		sum = crc32.Update(sum, crc32.IEEETable, b)
		return b, err
	}
	head, err := bytes(10)
	if err != nil {
		return err
	}
	flags := head[3]
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 || flags&flagUnknown != 0 {
		return fmt.Errorf("%w: member %d has no header", ErrCorrupt, r.members+1)
	}
	if flags&flagExtra != 0 {
		length, err := bytes(2)
		if err != nil {
			return err
		}
		for left := int(binary.LittleEndian.Uint16(length)); left > 0; left-- {
			if _, err := bytes(1); err != nil {
				return err
			}
		}
	}
	for _, flag := range []byte{flagName, flagComment} {
		for text := flags&flag != 0; text; {
			b, err := bytes(1)
			if err != nil {
				return err
			}
			text = b[0] != 0
		}
	}
	if flags&flagCRC != 0 {
		stated, err := r.bytes(2)
		if err != nil {
			return err
		}
		if uint32(binary.LittleEndian.Uint16(stated)) != sum&0xffff {
			return fmt.Errorf("%w: the checksum of the header of member %d does not agree", ErrCorrupt, r.members+1)
		}
	}
	r.members++
	r.first, r.summed, r.sum, r.size = r.outPos, r.outPos, 0, 0
	r.block = atBlock
	return nil
}

// bytes takes n whole bytes, which hold until the next call.
func (r *Reader) bytes(n int) ([]byte, error) {
	if err := r.fill(n); err != nil {
		return nil, err
	}
	if r.inEnd-r.inPos < n {
		return nil, io.ErrUnexpectedEOF
	}
	r.inPos += n
	return r.in[r.inPos-n : r.inPos], nil
}

// endMember compares the member's checksum and length.
func (r *Reader) endMember() error {
	r.align()
	tail, err := r.bytes(8)
	if err != nil {
		return err
	}
	r.summing()
	if binary.LittleEndian.Uint32(tail) != r.sum || binary.LittleEndian.Uint32(tail[4:]) != r.size {
		return fmt.Errorf("%w: the checksum of member %d does not agree", ErrCorrupt, r.members)
	}
	r.block = atMember
	return nil
}

// startBlock reads the header of a block.
func (r *Reader) startBlock() error {
	if r.final {
		r.final = false
		r.block = atTrailer
		return nil
	}
	if err := r.fill(maxHeader); err != nil {
		return err
	}
	r.final = r.take(1) == 1
	var err error
	switch r.take(2) {
	case 0:
		err = r.startStored()
	case 1:
		r.codes.setFixed()
		r.block = inCodes
	case 2:
		err = r.readCodes()
		r.block = inCodes
	default:
		err = fmt.Errorf("%w: a block of no kind", ErrCorrupt)
	}
	if r.overrun() {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *Reader) startStored() error {
	r.align()
	if r.overrun() {
		return io.ErrUnexpectedEOF
	}
	head, err := r.bytes(4)
	if err != nil {
		return err
	}
	r.stored = int(binary.LittleEndian.Uint16(head))
	if uint16(r.stored) != ^binary.LittleEndian.Uint16(head[2:]) {
		return fmt.Errorf("%w: the length of a stored block does not agree", ErrCorrupt)
	}
	r.block = inStored
	return nil
}

func (r *Reader) copyStored() error {
	if r.stored == 0 {
		r.block = atBlock
		return nil
	}
	if err := r.fill(1); err != nil {
		return err
	}
	if r.inPos >= r.inEnd {
		return io.ErrUnexpectedEOF
	}
	n := copy(r.out[r.outPos:outSize], r.in[r.inPos:min(r.inEnd, r.inPos+r.stored)])
	r.inPos += n
	r.outPos += n
	r.stored -= n
	return nil
}
