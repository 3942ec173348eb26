package installation

import (
	"context"

	queues "github.com/strandline-dev/strandline/shared/command/memory"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	objects "github.com/strandline-dev/strandline/shared/objects/memory"
	sources "github.com/strandline-dev/strandline/shared/source/memory"
)

// memoryBucket is the bucket's name in memory.
const memoryBucket = "uploads"

// InMemory returns an installation on the memory adapters.
func InMemory(ctx context.Context, o Options) (*Installation, *Memory, error) {
	store := objects.New(o.Clock.Now)
	store.CreateBucket(memoryBucket, objects.BucketOptions{})
	tables := &sources.Tables{}
	queue, releases := queues.New(o.Clock.Now, o.Policy.VisibilityTimeout), queues.New(o.Clock.Now, o.Policy.VisibilityTimeout)
	i, err := assemble(ctx, Stores{
		Ledger: ledgers.New(), Objects: store, Gate: gates.New(o.Clock.Now), Queue: queue, Rows: tables, Releases: releases, ReleasesDead: releases.Letters(),
	}, names{table: "memory", queueURL: "http://memory/queue", deadLetterURL: "http://memory/dead", bucket: memoryBucket}, o)
	return i, &Memory{Objects: store, Queue: queue, Tables: tables, Releases: releases}, err
}

// Memory is what only the memory adapters can do.
type Memory struct {
	Objects *objects.Store
	Queue   *queues.Queue
	// Tables are those of the sources, none to begin with.
	Tables *sources.Tables
	// Releases is where outboxes put their messages.
	Releases *queues.Queue
}
