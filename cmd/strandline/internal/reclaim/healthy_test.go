package reclaim_test

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func orders() source.Source {
	return source.Source{
		Name: "orders", Table: "shop-orders", Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "photo"},
		Index: &source.Index{Name: "by-photo", Attribute: "photo", Holds: source.HoldsKey},
	}
}

func shop() source.Source { return source.Source{Name: "shop", Bucket: "uploads", Tenant: "acme"} }

// healthy are a table and an outbox as a deployment makes them, at work.
func healthy() reclaim.Facts {
	relay := []reclaim.Reader{{Function: "acme-relay", State: "Enabled", ByNumber: true, Says: "OK"}}
	told := []source.Source{orders(), shop()}
	seen := checkup.Saw(release.State{LastEvent: now.Add(-3 * time.Minute), SeenAt: now.Add(-2 * time.Minute)})
	return reclaim.Facts{
		Table: "acme-ledger", Region: "eu-central-1", Policy: policy.Default(), Now: now, RelayName: "acme-relay",
		Gate:         checkup.Saw(gate.State{Mode: gate.Delete, Rate: 500, Burst: 1000}),
		Relay:        checkup.Saw(reclaim.Told{Sources: told}),
		Worker:       checkup.Saw(reclaim.Told{Sources: told}),
		Queue:        checkup.Saw(reclaim.Queue{Name: "acme-releases", Depth: 4}),
		QueueReaders: checkup.Saw(relay),
		Dead:         checkup.Saw(reclaim.Dead{}),
		Waiting:      checkup.Saw(reclaim.Waiting{"orders": {Count: 12, Oldest: now.Add(-20 * time.Minute)}}),
		Sources: []reclaim.Source{
			{
				Source: orders(), Last: seen, Readers: checkup.Saw(relay),
				Stream: checkup.Saw(reclaim.Stream{
					View: "NEW_AND_OLD_IMAGES", ARN: "arn:aws:dynamodb:eu-central-1:123456789012:table/shop-orders/stream/2026-11-01T00:00:00.000",
					Index: reclaim.Index{Status: "ACTIVE", Attribute: "photo", Type: "S"},
				}),
				Sample:  checkup.Saw(reclaim.Sample{Rows: 200, Named: 180, Asked: 20, Standing: 20}),
				Orphans: checkup.Saw(reclaim.Orphans{AsOf: now.Add(-10 * time.Hour)}),
			},
			{Source: shop(), Last: seen},
		},
	}
}
