package validate

import "fmt"

// Field is the part of a request that a refusal is about.
type Field string

// The fields of an upload.
const (
	FieldKind           Field = "kind"
	FieldName           Field = "name"
	FieldSize           Field = "size"
	FieldFile           Field = "file"
	FieldOwner          Field = "owner"
	FieldIdempotencyKey Field = "idempotency-key"
)

// Reason is what is wrong: for programs, and for counting.
type Reason string

// The reasons, closed.
const (
	UnknownKind      Reason = "unknown kind"
	NoName           Reason = "no name"
	NoExtension      Reason = "no extension"
	ExtensionRefused Reason = "extension refused"
	Empty            Reason = "empty"
	TooLarge         Reason = "too large"
	LongerThanSaid   Reason = "longer than said"
	ShorterThanSaid  Reason = "shorter than said"
	UnknownContent   Reason = "unknown content"
	ContentRefused   Reason = "content refused"
	ContentDiffers   Reason = "content and extension differ"
	ScannerRefused   Reason = "scanner refused"
	QuotaUsedUp      Reason = "quota used up"
	AlreadyThere     Reason = "already there"
	InProgress       Reason = "in progress"
	KeyInvalid       Reason = "key invalid"
	KeyReused        Reason = "key reused"
	GivenUp          Reason = "given up"
)

// Refusal says why something is not taken: what is wrong, with which part of
// the request, and one sentence that tells a person what to do. None of the
// three holds any text that the client sent.
type Refusal struct {
	Reason   Reason
	Field    Field
	Sentence string
}

// Error says the same for a log, without the sentence.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Field, r.Reason) }

func refuse(field Field, reason Reason, sentence string, args ...any) error {
	return &Refusal{Reason: reason, Field: field, Sentence: fmt.Sprintf(sentence, args...)}
}
