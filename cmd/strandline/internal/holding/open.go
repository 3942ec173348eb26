package holding

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/objects/s3/markers"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// DeskOf is the desk of an installation.
func DeskOf(o site.Opened, now func() time.Time) quarantine.Desk {
	client := awsconf.S3(o.Config)
	store := s3.New(client)
	return quarantine.Desk{
		Policy: o.Policy, Book: hold.Book{Documents: o.Ledger, Forget: o.Policy.TombstoneTTL},
		Records: o.Ledger, Store: store, Markers: markers.New(client), Parts: store, Now: now,
	}
}
