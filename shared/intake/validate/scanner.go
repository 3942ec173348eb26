package validate

import (
	"context"
	"io"
)

// Scanner looks at a whole content before it is published, as a virus scan
// does. It can only refuse: nothing that it returns lets in what the rules did
// not.
type Scanner interface {
	// Scan reads the content, as far as it needs. nil has nothing against it;
	// a [Refusal] refuses it ([Refused] makes one); any other error says that
	// it could not be looked at, and then it is not published either.
	Scan(ctx context.Context, c Content) error
}

// Content is what a scanner sees: nothing of it says whose it is.
type Content struct {
	Type   Type
	Size   int64
	SHA256 []byte
	Body   io.Reader
}

// Refused is a scanner's refusal, with its sentence for the person who uploads.
func Refused(sentence string) error {
	return &Refusal{Reason: ScannerRefused, Field: FieldFile, Sentence: sentence}
}
