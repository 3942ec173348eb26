package holding

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/objects/s3/markers"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// Place is where an installation's holds are.
type Place struct {
	Table, Bucket string
	// Region is one other than the environment's; empty for that.
	Region string
}

// Open opens the desk of an installation, with the environment's credentials,
// endpoints and policy.
func Open(ctx context.Context, p Place, now func() time.Time) (quarantine.Desk, error) {
	switch {
	case p.Table == "":
		return quarantine.Desk{}, errors.New("--table is not given and STRANDLINE_TABLE is not set: name the ledger's table")
	case p.Bucket == "":
		return quarantine.Desk{}, errors.New("--bucket is not given and STRANDLINE_BUCKET is not set: name the bucket")
	}
	delays, err := policy.FromEnv(environment())
	if err != nil {
		return quarantine.Desk{}, err
	}
	cfg, err := awsconf.LoadSigned(ctx, awsconf.Given{Region: p.Region})
	if err != nil {
		return quarantine.Desk{}, err
	}
	client := awsconf.S3(cfg)
	records, store := dynamo.New(awsconf.DynamoDB(cfg), p.Table), s3.New(client)
	return quarantine.Desk{
		Policy: delays, Book: hold.Book{Documents: records, Forget: delays.TombstoneTTL},
		Records: records, Store: store, Markers: markers.New(client), Parts: store, Now: now,
	}, nil
}

func environment() map[string]string {
	all := map[string]string{}
	for _, line := range os.Environ() {
		name, value, _ := strings.Cut(line, "=")
		all[name] = value
	}
	return all
}
