package reclaim

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// Facts are what was seen of an installation's sources.
type Facts struct {
	Table, Region string
	// Policy is what this command was told.
	Policy policy.Policy
	Gate   checkup.Look[gate.State]
	// RelayName is what the relay's function is to be called.
	RelayName string
	// Relay and Worker are what those functions are told.
	Relay, Worker checkup.Look[Told]
	// Queue is that of releases, with who takes from it; Dead their dead letters.
	Queue        checkup.Look[Queue]
	QueueReaders checkup.Look[[]Reader]
	Dead         checkup.Look[Dead]
	Waiting      checkup.Look[Waiting]
	Sources      []Source
	// Now is the machine's clock when everything had been looked at.
	Now time.Time
}

// Told is what a function is told of sources, by STRANDLINE_SOURCES.
type Told struct {
	Sources []source.Source
	// Wrong is why its sources cannot be read; empty if they can.
	Wrong string
}

// Queue is the queue of releases.
type Queue struct {
	Name  string
	Depth int64
}

// Dead counts the releases' dead letters by the name of their source; those of
// which nobody has said one are under "".
type Dead struct {
	BySource map[string]int64
	// Partial: there are more than were looked at, or hidden ones.
	Partial bool
}

// Waiting is what the ledger has of the releases of each source, by name.
type Waiting map[string]Releases

// Releases are the records of one source's releases that are not done.
type Releases struct {
	Count int64
	// Oldest is when the oldest of them was released.
	Oldest time.Time
	// Parked is how many of them have used up their attempts, and are in none of
	// the others.
	Parked int64
}

// Source is one source, and what was seen of it. Of an outbox there is no
// stream and no sample.
type Source struct {
	source.Source
	Stream  checkup.Look[Stream]
	Readers checkup.Look[[]Reader]
	Sample  checkup.Look[Sample]
	Last    checkup.Look[release.State]
	Orphans checkup.Look[Orphans]
}

// Stream is a table with its stream and the index that the source names.
type Stream struct {
	// View is what the stream carries; empty where it is off.
	View string
	ARN  string
	// Index is the index, or the table's own key.
	Index Index
}

// Index is what a table says of an index. The zero Index is not there.
type Index struct {
	Status string // ACTIVE, also of the table's own key
	// Attribute is the partition key, Type its kind: S, N or B.
	Attribute, Type string
}

// Reader is an event source mapping: which function takes from a stream or
// queue.
type Reader struct {
	Function string // its name
	State    string // Enabled, Disabled, or on the way to either
	// ByNumber: it reports failed records one by one.
	ByNumber bool
	// Says is what became of the last batch, in Lambda's words.
	Says string
}

// Sample is some of a table's rows, read as the relay reads them.
type Sample struct {
	Rows int
	// Named is how many objects they name, Foreign how many URLs are of no bucket
	// of the source's.
	Named, Foreign int
	// Unreadable counts rows by what of them cannot be read.
	Unreadable map[string]int
	// Unfindable is how many objects are spelled so that the index cannot be asked
	// for them.
	Unfindable int
	// Asked is how many of the objects were looked for in the store, and Standing
	// how many are there.
	Asked, Standing int
}

// Orphans are the holds whose keys look like the source's.
type Orphans struct {
	Count int64
	// AsOf is the inventory that was compared last; zero if none was.
	AsOf time.Time
}
