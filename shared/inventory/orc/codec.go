package orc

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// The compressions that a postscript names.
const (
	plain = iota
	zlib
	snappyRaw
	lzo
	lz4
	zstandard
)

// codec expands the chunks of one file. It serves one goroutine: all streams
// of a scan take turns with it, chunk by chunk.
type codec struct {
	kind  uint64
	block int    // no chunk expands to more
	raw   []byte // the chunk as stored

	in      bytes.Reader
	inflate io.ReadCloser
	zstd    *zstd.Decoder
}

// newCodec returns nil for a file whose streams have no chunks.
func newCodec(kind, block uint64) (*codec, error) {
	switch kind {
	case plain:
		return nil, nil
	case zlib, snappyRaw, zstandard:
	case lzo, lz4:
		return nil, unsupported("its compression is LZO or LZ4")
	default:
		return nil, unsupported("its compression has the unknown number %d", kind)
	}
	if block == 0 || block > maxBlock {
		return nil, corrupt("compression block of %d bytes, expected at most %d", block, maxBlock)
	}
	return &codec{kind: kind, block: int(block)}, nil
}

func (c *codec) close() {
	if c != nil && c.zstd != nil {
		c.zstd.Close()
	}
}

// expand returns what c.raw expands to, in dst if it is large enough.
func (c *codec) expand(dst []byte) ([]byte, error) {
	switch c.kind {
	case zlib:
		return c.expandZlib(dst)
	case snappyRaw:
		return c.expandSnappy(dst)
	}
	return c.expandZstd(dst)
}

// expandZlib inflates a raw deflate stream. The buffer grows with what comes
// out, so a small chunk that claims a large block costs nothing.
func (c *codec) expandZlib(dst []byte) ([]byte, error) {
	c.in.Reset(c.raw)
	if c.inflate == nil {
		c.inflate = flate.NewReader(&c.in)
	} else if err := c.inflate.(flate.Resetter).Reset(&c.in, nil); err != nil {
		return nil, err
	}
	dst = dst[:0]
	for {
		if len(dst) == cap(dst) {
			if len(dst) > c.block {
				return nil, corrupt("a chunk expands to more than the block of %d bytes", c.block)
			}
			grown := make([]byte, len(dst), min(max(4<<10, 2*cap(dst)), c.block+1))
			copy(grown, dst)
			dst = grown
		}
		n, err := c.inflate.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, corrupt("a ZLIB chunk does not inflate")
		}
	}
	if len(dst) > c.block || c.in.Len() > 0 {
		return nil, corrupt("a ZLIB chunk and its header disagree")
	}
	return dst, nil
}

func (c *codec) expandSnappy(dst []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(c.raw)
	if err != nil || n > c.block {
		return nil, corrupt("a Snappy chunk states a wrong length")
	}
	// Snappy's best is 64 bytes out of 3: a length past that is a lie.
	if n > 32*len(c.raw) {
		return nil, corrupt("a Snappy chunk states a wrong length")
	}
	out, err := snappy.Decode(dst[:cap(dst)], c.raw)
	if err != nil {
		return nil, corrupt("a Snappy chunk does not expand")
	}
	return out, nil
}

func (c *codec) expandZstd(dst []byte) ([]byte, error) {
	if c.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(uint64(c.block)))
		if err != nil {
			return nil, err
		}
		c.zstd = d
	}
	out, err := c.zstd.DecodeAll(c.raw, dst[:0]) // holds the block's limit itself
	if err != nil {
		return nil, corrupt("a Zstandard chunk does not expand")
	}
	return out, nil
}
