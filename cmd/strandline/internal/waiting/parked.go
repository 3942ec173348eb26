package waiting

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// parkedPage is a parked upload as it is written for programs.
type parkedPage struct {
	Tenant   string    `json:"tenant"`
	Upload   string    `json:"upload"`
	ParkedAt time.Time `json:"parked_at"`
	Attempts int       `json:"attempts"`
	Failure  string    `json:"last_error,omitempty"`
	Bucket   string    `json:"bucket,omitempty"`
	Objects  int64     `json:"objects"`
	Done     int64     `json:"dealt_with"` // of the objects
	Bytes    int64     `json:"bytes"`
}

// Parked lists what is parked, and returns how many uploads are.
func (o Office) Parked(ctx context.Context) (int64, error) {
	now := o.Now().UTC()
	list := newParkedRows(o)
	for r, err := range o.parked(ctx) {
		if err != nil {
			return list.found, err
		}
		if o.JSON {
			list.found++
			err = o.line(parkedOf(r))
		} else {
			err = addParked(list, r, now)
		}
		if err != nil {
			return list.found, err
		}
	}
	o.Clear()
	switch {
	case o.JSON:
		return list.found, nil
	case list.found == 0:
		_, err := fmt.Fprintln(o.Out, "nothing is parked")
		return 0, err
	}
	if err := list.flush(); err != nil {
		return list.found, err
	}
	_, err := fmt.Fprintf(o.Out, "\n%s for a person; once the cause is mended, \"strandline parked retry\" lets them go on\n",
		show.CountedAs(list.found, "upload waits", "uploads wait"))
	return list.found, err
}

func newParkedRows(o Office) *rows {
	return o.rows("tenant", "upload", ">parked", ">attempts", "bucket", ">objects", ">bytes", "last failure")
}

func addParked(list *rows, r upload.Record, now time.Time) error {
	return list.add(show.Name(r.Tenant), show.Name(r.Upload), show.Age(now, r.ParkedAt), bytesize.Count(int64(r.Attempts)),
		r.Bucket, bytesize.Count(r.Objects), bytesize.Text(r.Bytes), failure(r))
}

// failure is the record's last error, as far as a cell has room for it.
func failure(r upload.Record) string { return cmp.Or(show.Short(r.LastError), "not known") }

func parkedOf(r upload.Record) parkedPage {
	return parkedPage{
		Tenant: r.Tenant, Upload: r.Upload, ParkedAt: r.ParkedAt, Attempts: r.Attempts, Failure: r.LastError,
		Bucket: r.Bucket, Objects: r.Objects, Done: r.PurgedThrough, Bytes: r.Bytes,
	}
}

// parked yields what is parked of the tenants that are wanted.
func (o Office) parked(ctx context.Context) func(yield func(upload.Record, error) bool) {
	return func(yield func(upload.Record, error) bool) {
		found := int64(0)
		o.Progress("read the ledger", found)
		for r, err := range cleanup.ParkedUploads(ctx, o.Ledger) {
			if err := o.step(ctx, err); err != nil {
				yield(upload.Record{}, err)
				return
			}
			if !o.wants(r) {
				continue
			}
			found++
			o.Progress("read the ledger", found)
			if !yield(r, nil) {
				return
			}
		}
	}
}
