package bill

import (
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/shared/meter"
)

// part is a line that is made of counted calls.
type part struct {
	what, unit string
	of         []step
	calls      []string // operations, with what they are about
}

// step is a stage without what an installation does anyway.
type step func(Run) Stage

func marked(r Run) Stage    { return r.Marked.without(r.Idle) }
func published(r Run) Stage { return r.Published.without(r.Idle) }
func purged(r Run) Stage    { return r.Purged }

// without is what the stage costs beside a pass that finds nothing.
func (s Stage) without(idle Stage) Stage {
	s.Counts = s.Counts.Minus(idle.Counts)
	return s
}

// The units of lines.
const (
	writes    = "write units"
	reads     = "read units"
	queueCall = "times 64 KB"
	storeCall = "requests"
	free      = "free"
)

// parts are all calls: what none of them names is an error.
var parts = []part{
	{"both passes: due index", reads, []step{marked, published}, []string{"DynamoDB.Query due"}},
	{"both passes: gate, cursors, runs, lease, census", reads, []step{marked, published}, []string{"DynamoDB.GetItem", "DynamoDB.Query RUN", "DynamoDB.Query CENSUS"}},
	{"both passes: cursors, runs, lease", writes, []step{marked, published}, []string{"DynamoDB.PutItem CURSOR", "DynamoDB.PutItem RUN", "DynamoDB.PutItem LEASE"}},
	{"pass one: records, to plan and to mark", reads, []step{marked}, []string{"DynamoDB.BatchGetItem T"}},
	{"pass one: mark", writes, []step{marked}, []string{"DynamoDB.PutItem T"}},
	{"pass two: records", reads, []step{published}, []string{"DynamoDB.BatchGetItem T"}},
	{"pass two: the queue's depth", queueCall, []step{published}, []string{"SQS.GetQueueAttributes"}},
	{"pass two: publish, ten in a request", queueCall, []step{published}, []string{"SQS.SendMessageBatch"}},
	{"event source: receive, ten in a request", queueCall, []step{purged}, []string{"SQS.ReceiveMessage"}},
	{"worker: gate", reads, []step{purged}, []string{"DynamoDB.GetItem GATE"}},
	{"worker: records", reads, []step{purged}, []string{"DynamoDB.BatchGetItem T"}},
	{"worker: slots of the gate", writes, []step{purged}, []string{"DynamoDB.UpdateItem GATE"}},
	{"worker: claim and finish", writes, []step{purged}, []string{"DynamoDB.PutItem T"}},
	{"worker: look at the bucket", storeCall, []step{purged}, []string{"S3.GetBucketVersioning"}},
	{"worker: delete, 1,000 versions in a request", free, []step{purged}, []string{"S3.DeleteObjects"}},
	{"event source: acknowledge, ten in a request", queueCall, []step{purged}, []string{"SQS.DeleteMessageBatch"}},
}

// count is how much of a part's calls there were.
func (p part) count(r Run) meter.Count {
	var n meter.Count
	for _, of := range p.of {
		n = n.Plus(of(r).Counts.Of(p.has))
	}
	return n
}

// covers reports whether the part counts a call of a stage.
func (p part) covers(r Run, stage string, c meter.Call) bool {
	return p.has(c) && slices.ContainsFunc(p.of, func(of step) bool { return of(r).Name == stage })
}

// has reports whether the part counts a call; the name of a queue is anybody's.
func (p part) has(c meter.Call) bool {
	for _, name := range p.calls {
		operation, of, _ := strings.Cut(name, " ")
		if c.Service+"."+c.Operation == operation && (of == "" || of == c.Of) {
			return true
		}
	}
	return false
}
