package waiting

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
)

// stuckPage is a stuck upload as it is written for programs.
type stuckPage struct {
	Tenant       string    `json:"tenant"`
	Upload       string    `json:"upload"`
	State        string    `json:"state"`
	Reason       string    `json:"reason"`
	LastActivity time.Time `json:"last_activity_at,omitzero"`
	Owner        string    `json:"owner,omitempty"`
	Bucket       string    `json:"bucket,omitempty"`
	Objects      int64     `json:"objects"`
	Bytes        int64     `json:"bytes"`
}

// whatHelps says what ends each kind of being stuck.
var whatHelps = map[string]string{
	cleanup.StuckAssembling: "assembling too long: its application must complete, cancel or release it",
	cleanup.StuckFuture:     "activity in the future: every pass that meets it stops; mend the clock of its writer's machine",
	cleanup.StuckSchema:     "written by a newer release: use that one's command",
}

// Stuck lists what is stuck, and returns how many uploads are.
func (o Office) Stuck(ctx context.Context) (int64, error) {
	now := o.Now().UTC()
	var looked atomic.Int64
	count := func(n int) { o.Progress("look for what is stuck", looked.Add(int64(n))) }
	list := o.rows("tenant", "upload", ">silent", "owner", "bucket", ">objects", ">bytes", "why")
	found, reasons := int64(0), map[string]bool{}
	for s, err := range cleanup.StuckUploads(ctx, o.Ledger, o.Policy, now, count) {
		if err := o.step(ctx, err); err != nil {
			return found, err
		}
		if !o.wants(s.Record) {
			continue
		}
		found++
		reasons[s.Reason] = true
		if err := o.stuck(list, s, now); err != nil {
			return found, err
		}
	}
	o.Clear()
	if o.JSON {
		return found, nil
	}
	return found, o.stuckEnd(list, found, reasons)
}

func (o Office) stuck(list *rows, s cleanup.Stuck, now time.Time) error {
	r := s.Record
	if o.JSON {
		return o.line(stuckPage{
			Tenant: r.Tenant, Upload: r.Upload, State: r.State.String(), Reason: s.Reason,
			LastActivity: r.LastActivityAt, Owner: r.Owner, Bucket: r.Bucket, Objects: r.Objects, Bytes: r.Bytes,
		})
	}
	silent := show.Age(now, r.LastActivityAt)
	if s.Reason == cleanup.StuckFuture {
		silent = "-"
	}
	return list.add(show.Name(r.Tenant), show.Name(r.Upload), silent, show.Name(r.Owner), r.Bucket,
		bytesize.Count(r.Objects), bytesize.Text(r.Bytes), s.Reason)
}

func (o Office) stuckEnd(list *rows, found int64, reasons map[string]bool) error {
	if found == 0 {
		_, err := fmt.Fprintln(o.Out, "nothing is stuck")
		return err
	}
	if err := list.flush(); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\n%s\n", show.CountedAs(found, "upload is stuck", "uploads are stuck"))
	for _, reason := range []string{cleanup.StuckFuture, cleanup.StuckAssembling, cleanup.StuckSchema} {
		if reasons[reason] {
			fmt.Fprintf(o.Out, "  %s\n", whatHelps[reason])
		}
	}
	_, err := fmt.Fprintln(o.Out, "\"strandline explain TENANT UPLOAD\" says what becomes of one")
	return err
}
