package bill

import "github.com/strandline-dev/strandline/shared/meter"

// Work is what one purged upload takes, in operations of the SDK: of both passes
// whole, and of the workers with their event source.
type Work struct {
	LedgerReads, LedgerWrites, QueueCalls float64
	// RecordReads are the records in the reads.
	RecordReads float64
	// PerStoreCall is how many objects one call of the object store deletes, with
	// the calls that only look.
	PerStoreCall float64
}

// ledgerWrites are the operations that change an item.
var ledgerWrites = map[string]bool{
	"PutItem": true, "UpdateItem": true, "DeleteItem": true, "TransactWriteItems": true, "BatchWriteItem": true,
}

// Work sums up what was counted.
func (r Run) Work() Work {
	all := meter.Counts{}
	for _, s := range r.stages() {
		all = all.Plus(s.Counts)
	}
	operations := func(filter func(meter.Call) bool) float64 { return float64(all.Of(filter).Operations) }
	each := float64(r.Uploads)
	return Work{
		LedgerReads:  operations(func(c meter.Call) bool { return c.Service == "DynamoDB" && !ledgerWrites[c.Operation] }) / each,
		LedgerWrites: operations(func(c meter.Call) bool { return c.Service == "DynamoDB" && ledgerWrites[c.Operation] }) / each,
		QueueCalls:   operations(func(c meter.Call) bool { return c.Service == "SQS" }) / each,
		RecordReads:  float64(all.Of(func(c meter.Call) bool { return c.Operation == "BatchGetItem" }).Items) / each,
		PerStoreCall: each * Objects / operations(func(c meter.Call) bool { return c.Service == "S3" }),
	}
}
