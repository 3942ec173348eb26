package orc

// What a file may make us hold. Writers stay far below each of them.
const (
	// maxBlock bounds one chunk, stored or expanded. A chunk's header has 23
	// bits for its length, and the writers refuse larger blocks for that reason.
	maxBlock = 1 << 23
	// maxFooter bounds the expanded footer of a file or stripe.
	maxFooter = 8 << 20
	// maxList bounds what a footer lists of one thing: stripes, types, streams.
	maxList = 1 << 18
	// maxDictionary bounds the memory of one column's dictionary in one stripe.
	maxDictionary = 256 << 20
	// maxBatchBytes bounds the strings of one column in one batch.
	maxBatchBytes = 256 << 20
	// batchRows is how many rows a batch has, unless its stripe ends before.
	batchRows = 1024
	// readSize is how much of a plain stream is read at once.
	readSize = 32 << 10
)
