package explanation

import (
	"cmp"
	"io"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/upload"
)

// page is an explanation as it is written for programs. What is unknown is
// absent.
type page struct {
	Tenant   string       `json:"tenant"`
	Upload   string       `json:"upload"`
	Exists   bool         `json:"exists"`
	At       time.Time    `json:"at"`
	State    string       `json:"state"`
	Stuck    bool         `json:"stuck,omitempty"`
	Parked   bool         `json:"parked,omitempty"`
	Is       []string     `json:"is"`
	Record   *recordPage  `json:"record,omitempty"`
	Timeline []Moment     `json:"timeline,omitempty"`
	Keeps    []Kept       `json:"keeps,omitempty"`
	Next     []Step       `json:"next,omitempty"`
	Around   []string     `json:"around,omitempty"`
	Referrer []referrer   `json:"referred_to_by,omitempty"`
	Dropped  int64        `json:"references_dropped,omitempty"`
	Gate     gatePage     `json:"gate"`
	Census   string       `json:"census_stale,omitempty"`
	LastRun  string       `json:"last_run,omitempty"`
	Waiting  []waitingRun `json:"waiting_for_approval,omitempty"`
	Objects  []Object     `json:"keys,omitempty"`
	Left     int64        `json:"keys_not_shown,omitempty"`
}

type gatePage struct {
	Mode   string `json:"mode"`
	Paused bool   `json:"paused"`
}

type referrer struct {
	Source     string `json:"source"`
	Entity     string `json:"entity"`
	Generation int64  `json:"generation"`
}

type waitingRun struct {
	Run    string    `json:"run"`
	Digest string    `json:"digest"`
	Action string    `json:"action"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"approvable_until"`
}

// recordPage is the record, without its token: who knows that could act as the
// worker.
type recordPage struct {
	Schema          int          `json:"schema"`
	Version         int64        `json:"version"`
	Fence           int64        `json:"fence"`
	Holder          string       `json:"holder,omitempty"`
	LeaseUntil      time.Time    `json:"lease_until,omitzero"`
	HoldExpiresAt   time.Time    `json:"hold_expires_at,omitzero"`
	DeadlineAt      time.Time    `json:"deadline_at,omitzero"`
	LastActivityAt  time.Time    `json:"last_activity_at,omitzero"`
	CompletedAt     time.Time    `json:"completed_at,omitzero"`
	ExpiredAt       time.Time    `json:"expired_at,omitzero"`
	MarkedFrom      string       `json:"marked_from,omitempty"`
	DueAt           time.Time    `json:"due_at,omitzero"`
	SupersededDueAt time.Time    `json:"superseded_due_at,omitzero"`
	Trimmed         bool         `json:"trimmed,omitempty"`
	Bucket          string       `json:"bucket,omitempty"`
	Folder          string       `json:"folder,omitempty"`
	Objects         int64        `json:"objects"`
	Bytes           int64        `json:"bytes"`
	Declared        int64        `json:"declared"`
	Refs            int64        `json:"references"`
	Owner           string       `json:"owner,omitempty"`
	QuotaHeld       bool         `json:"quota_held,omitempty"`
	HashHeld        bool         `json:"hash_held,omitempty"`
	Reason          string       `json:"reason,omitempty"`
	Source          string       `json:"source,omitempty"`
	Attempts        int          `json:"attempts,omitempty"`
	LastError       string       `json:"last_error,omitempty"`
	UncertainAt     time.Time    `json:"uncertain_at,omitzero"`
	PurgedThrough   int64        `json:"purged_through,omitempty"`
	ParkedAt        time.Time    `json:"parked_at,omitzero"`
	Retained        *retainedFor `json:"retained,omitempty"`
	TombstoneUntil  time.Time    `json:"tombstone_until,omitzero"`
}

type retainedFor struct {
	Count  int64     `json:"count"`
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason"`
}

// JSON writes the explanation for programs, with up to so many keys.
func (f Facts) JSON(out io.Writer, keys int) error {
	r := f.Record
	p := page{
		Tenant: f.ID.Tenant, Upload: f.ID.Upload, Exists: r.State != upload.StateNone, At: f.Now,
		State: r.State.String(), Parked: !r.ParkedAt.IsZero(), Is: f.Is(), Gate: gatePage{cmp.Or(string(f.Gate.Mode), "report-only"), f.Gate.Paused},
		Census: f.Stale, LastRun: f.Last.Run,
	}
	if !p.Exists {
		return show.JSON(out, p)
	}
	p.Stuck, p.Record, p.Timeline = f.stuck(), recordOf(r), f.Timeline()
	p.Keeps, p.Next, p.Around = f.Keeps(), f.Next(), f.Around()
	for _, ref := range f.Referrers {
		p.Referrer = append(p.Referrer, referrer(ref))
	}
	p.Dropped = f.Dropped
	for _, w := range f.Waiting {
		p.Waiting = append(p.Waiting, waitingRun{w.Run.Run, w.Run.Digest, w.Action, w.Reason, w.Run.ApprovableUntil()})
	}
	for o := range f.Objects {
		if keys != AllKeys && len(p.Objects) >= keys {
			break
		}
		p.Objects = append(p.Objects, o)
	}
	p.Left = r.Declared() - int64(len(p.Objects))
	return show.JSON(out, p)
}

func recordOf(r upload.Record) *recordPage {
	p := &recordPage{
		Schema: r.Schema, Version: r.Version, Fence: r.Fence, Holder: r.Holder, LeaseUntil: r.LeaseUntil,
		HoldExpiresAt: r.HoldExpiresAt, DeadlineAt: r.DeadlineAt, LastActivityAt: r.LastActivityAt,
		CompletedAt: r.CompletedAt, ExpiredAt: r.ExpiredAt, DueAt: r.DueAt,
		SupersededDueAt: r.SupersededDueAt, Trimmed: r.Trimmed, Bucket: r.Bucket,
		Objects: r.Objects, Bytes: r.Bytes, Declared: r.Declared(), Refs: r.Refs,
		Owner: r.Owner, QuotaHeld: r.QuotaHeld, HashHeld: r.HashHeld, Reason: r.Reason, Source: r.Source,
		Attempts: r.Attempts, LastError: r.LastError, UncertainAt: r.UncertainAt,
		PurgedThrough: r.PurgedThrough, ParkedAt: r.ParkedAt, TombstoneUntil: r.TombstoneUntil,
	}
	if r.MarkedFrom != upload.StateNone {
		p.MarkedFrom = r.MarkedFrom.String()
	}
	if len(r.Manifest.Attempts) > 0 {
		p.Folder = r.Folder()
	}
	if r.Retained.Count > 0 {
		p.Retained = &retainedFor{r.Retained.Count, r.Retained.Until, r.Retained.Reason}
	}
	return p
}
