package waiting

import (
	"context"
	"io"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Ledger is where what waits is found, and what is parked is let go on.
type Ledger interface {
	cleanup.DueRecords
	cleanup.Parking
	cleanup.Unparkable
}

// Office shows what waits for a person.
type Office struct {
	Ledger Ledger
	Policy policy.Policy
	Now    func() time.Time
	// Tenant is the only one whose uploads are shown; empty for all.
	Tenant string
	Out    io.Writer
	// JSON writes one upload a line for programs, not a table.
	JSON bool
	// Progress is told how many uploads a long step has come to, Clear that it is
	// over. Both may be called by several at once.
	Progress func(stage string, uploads int64)
	Clear    func()
}

// blockRows is how many rows are held to find out how wide their columns are.
const blockRows = 200

// rows writes a table block by block.
type rows struct {
	out   io.Writer
	clear func()
	heads []string
	table *show.Table
	found int64
}

func (o Office) rows(heads ...string) *rows {
	return &rows{out: o.Out, clear: o.Clear, heads: heads, table: show.NewTable(heads...)}
}

func (r *rows) add(cells ...string) error {
	r.found++
	r.table.Add(cells...)
	if r.table.Rows() < blockRows {
		return nil
	}
	return r.flush()
}

// flush writes the block. The next one has heads of its own.
func (r *rows) flush() error {
	if r.table.Rows() == 0 {
		return nil
	}
	r.clear()
	block := r.table
	r.table = show.NewTable(r.heads...)
	return block.Write(r.out)
}

func (o Office) wants(r upload.Record) bool { return o.Tenant == "" || r.Tenant == o.Tenant }

// line writes one upload for programs.
func (o Office) line(page any) error {
	o.Clear()
	return show.JSON(o.Out, page)
}

// step ends a list that cannot go on: by an error, or since it was interrupted.
func (o Office) step(ctx context.Context, err error) error {
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		o.Clear()
	}
	return err
}
