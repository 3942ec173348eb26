package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
)

// chunkOf is a chunk's content: its own name, over and over.
func chunkOf(name string, seq, size int) []byte {
	text := fmt.Sprintf("%s/%d ", name, seq)
	return []byte(strings.Repeat(text, size/len(text)+1)[:size])
}

// putChunk puts and records one chunk, as an application does.
func putChunk(ctx context.Context, session *intake.Session, seq int, body []byte) error {
	sum := sha256.Sum256(body)
	_, err := session.Put(ctx, intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sum[:]}, bytes.NewReader(body))
	return err
}

// putBeside puts an object that the ledger is told nothing of.
func putBeside(ctx context.Context, i *installation.Installation, key string, body []byte) error {
	sum := sha256.Sum256(body)
	_, err := i.Stores.Objects.Put(ctx, i.Bucket, key, bytes.NewReader(body), objects.Content{Size: int64(len(body)), SHA256: sum[:]})
	return err
}
