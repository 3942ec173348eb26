package intake

import (
	"errors"

	"github.com/strandline-dev/strandline/shared/intake/validate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// explained are the refusals that come from the ledger, in a person's words.
// None says more than what the asker has himself.
var explained = []struct {
	kind    error
	refusal validate.Refusal
}{
	{upload.ErrQuota, validate.Refusal{
		Reason: validate.QuotaUsedUp, Field: validate.FieldOwner,
		Sentence: "All your places for uploads are taken: delete one that you do not need any more.",
	}},
	{errUnfinished, validate.Refusal{
		Reason: validate.InProgress, Field: validate.FieldFile,
		Sentence: "Exactly this file is being uploaded by you already: wait until that is done, or give it up first.",
	}},
	{upload.ErrDuplicate, validate.Refusal{
		Reason: validate.AlreadyThere, Field: validate.FieldFile,
		Sentence: "You have uploaded exactly this file before: use the one that is there.",
	}},
	{upload.ErrKeyReused, validate.Refusal{
		Reason: validate.KeyReused, Field: validate.FieldIdempotencyKey,
		Sentence: "This idempotency key was used for another request: send this one under a new key.",
	}},
	{ErrInProgress, validate.Refusal{
		Reason: validate.InProgress, Field: validate.FieldIdempotencyKey,
		Sentence: "The same upload is being made already: wait, and ask again under the same key.",
	}},
	{ErrGivenUp, validate.Refusal{
		Reason: validate.GivenUp, Field: validate.FieldIdempotencyKey,
		Sentence: "The first upload under this key did not succeed, or was deleted since: send the file again under a new key.",
	}},
}

// Explain returns what a person who uploads can be told of an error: what is
// wrong, with which part of the request, and one sentence that says what to do.
// False for an error that is not theirs; tell them to try again later.
func Explain(err error) (validate.Refusal, bool) {
	var refusal *validate.Refusal
	if errors.As(err, &refusal) {
		return *refusal, true
	}
	for _, e := range explained {
		if errors.Is(err, e.kind) {
			return e.refusal, true
		}
	}
	return validate.Refusal{}, false
}
