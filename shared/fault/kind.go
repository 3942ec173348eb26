package fault

import (
	"slices"
	"strings"
)

// Kind is a way to fail.
type Kind string

// What happens to a whole call. The service refuses it, or nobody answers.
const (
	Throttled   Kind = "throttled"
	ServerError Kind = "server error"
	Timeout     Kind = "timeout"
	Reset       Kind = "connection reset"
	Denied      Kind = "access denied"
	// Condition: a condition that does not hold; for a message, a receipt that
	// is not good any more.
	Condition Kind = "condition failed"
	// ResetOnce breaks the first attempt only, so that the SDK makes another,
	// and a write may meet its own first. The adapters have no attempts.
	ResetOnce Kind = "connection reset once"
	// Death ends the caller: nothing that it does from here on is done, until
	// [Set.Revive].
	Death Kind = "death"
)

// What happens to a call that takes many things, under a 200 where it has one.
const (
	// PartThrottled and PartDenied: the first half is done, the rest refused.
	PartThrottled Kind = "the rest throttled"
	PartDenied    Kind = "the rest denied"
	// PartRefused: the queue takes the first half and blames the sender for the
	// rest, so that no adapter sends that again.
	PartRefused Kind = "the rest refused"
	// PartUnnamed: all is done, and the answer names the first half.
	PartUnnamed Kind = "the rest not named"
	// PartTimeout: the first half is done, and nobody answers.
	PartTimeout Kind = "the rest not done, timeout"
	// Cut: a read that ends too soon: a listing or a page that goes on elsewhere,
	// keys that stay unprocessed.
	Cut Kind = "cut off"
)

// When says whether a call took effect.
type When string

// Before: it did not. After: it did, and its answer is the fault. During: part
// of it did.
const (
	Before When = "before"
	After  When = "after"
	During When = "during"
)

// Case is one way in which a call can fail.
type Case struct {
	When When
	Kind Kind
}

func (c Case) String() string { return string(c.When) + ", " + string(c.Kind) }

// nature is what an operation has that may fail.
type nature struct {
	writes      bool
	conditional bool
	parts       []Kind
}

// natures says it of every operation; an operation is named as in [Call], here
// without what a ledger's write is about.
var natures = map[string]nature{
	"ledger.Load":      {},
	"ledger.LoadMany":  {},
	"ledger.Due":       {parts: []Kind{Cut}},
	"ledger.Reference": {},
	"ledger.KeyUse":    {},
	"ledger.Holdings":  {parts: []Kind{Cut}},
	"ledger.Get":       {},
	"ledger.List":      {parts: []Kind{Cut}},
	"ledger.Commit":    {writes: true, conditional: true},
	"ledger.Put":       {writes: true, conditional: true},

	"objects.Delete":            {writes: true, parts: []Kind{PartThrottled, PartDenied, PartUnnamed, PartTimeout}},
	"objects.Versions":          {parts: []Kind{Cut}},
	"objects.Stat":              {},
	"objects.Open":              {},
	"objects.Multiparts":        {parts: []Kind{Cut}},
	"objects.Abort":             {writes: true},
	"objects.CheckBucket":       {},
	"objects.Put":               {writes: true, conditional: true},
	"objects.BeginMultipart":    {writes: true},
	"objects.UploadPart":        {writes: true},
	"objects.ListParts":         {parts: []Kind{Cut}},
	"objects.CompleteMultipart": {writes: true, conditional: true},

	"gate.Read":      {},
	"gate.Reserve":   {writes: true, conditional: true},
	"gate.Throttled": {writes: true, conditional: true},

	"queue.Send":       {writes: true, parts: []Kind{PartRefused, PartUnnamed}},
	"queue.Depth":      {},
	"queue.Hide":       {writes: true, conditional: true},
	"queue.DeadLetter": {writes: true},

	"DynamoDB.GetItem":            {},
	"DynamoDB.Query":              {},
	"DynamoDB.Scan":               {},
	"DynamoDB.BatchGetItem":       {parts: []Kind{Cut}},
	"DynamoDB.PutItem":            {writes: true, conditional: true},
	"DynamoDB.UpdateItem":         {writes: true, conditional: true},
	"DynamoDB.TransactWriteItems": {writes: true, conditional: true},

	"S3.DeleteObjects":           {writes: true, parts: []Kind{PartThrottled, PartDenied, PartUnnamed, PartTimeout}},
	"S3.DeleteObject":            {writes: true},
	"S3.ListObjectVersions":      {parts: []Kind{Cut}},
	"S3.ListMultipartUploads":    {parts: []Kind{Cut}},
	"S3.HeadObject":              {},
	"S3.HeadBucket":              {},
	"S3.GetBucketVersioning":     {},
	"S3.AbortMultipartUpload":    {writes: true},
	"S3.CreateMultipartUpload":   {writes: true},
	"S3.PutObject":               {writes: true, conditional: true},
	"S3.GetObject":               {},
	"S3.ListParts":               {},
	"S3.UploadPart":              {writes: true},
	"S3.CompleteMultipartUpload": {writes: true, conditional: true},

	"SQS.SendMessageBatch":        {writes: true, parts: []Kind{PartRefused, PartUnnamed}},
	"SQS.SendMessage":             {writes: true},
	"SQS.GetQueueAttributes":      {},
	"SQS.ChangeMessageVisibility": {writes: true, conditional: true},
}

// Known reports whether it is known what can happen to an operation.
func Known(operation string) bool {
	_, known := natures[verb(operation)]
	return known
}

// verb is the operation without what it is about.
func verb(operation string) string {
	name, _, _ := strings.Cut(operation, " ")
	return name
}

// Cases lists every way in which a call of the operation can fail, in a fixed
// order: each refusal and each silence, before the call took effect and, if it
// has one, after it; then what can happen in its middle. Nil for an operation
// that is not [Known].
func Cases(operation string) []Case {
	n, known := natures[verb(operation)]
	if !known {
		return nil
	}
	kinds := []Kind{Throttled, ServerError, Timeout, Reset, Denied, Death}
	if n.conditional {
		kinds = append(kinds, Condition)
	}
	if onWire(operation) {
		kinds = append(kinds, ResetOnce)
	}
	var cases []Case
	for _, when := range []When{Before, After} {
		if when == After && !n.writes {
			break
		}
		for _, kind := range kinds {
			cases = append(cases, Case{when, kind})
		}
	}
	for _, kind := range n.parts {
		cases = append(cases, Case{During, kind})
	}
	return cases
}

func onWire(operation string) bool {
	service, _, _ := strings.Cut(operation, ".")
	return slices.Contains([]string{"DynamoDB", "S3", "SQS"}, service)
}
