package letters

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// page is a letter as it is written for programs. What is unknown is absent.
type page struct {
	ID         string    `json:"id"`
	Queue      string    `json:"queue"`
	SentAt     time.Time `json:"sent_at,omitzero"`
	Reason     string    `json:"given_up_for,omitempty"`
	Moved      bool      `json:"moved_by_queue"`
	OriginalID string    `json:"original_message_id,omitempty"`
	Deliveries int       `json:"deliveries,omitempty"`
	Looks      int       `json:"looks"`
	Command    *order    `json:"command,omitempty"`
	Trigger    string    `json:"trigger,omitempty"`
	Schedule   string    `json:"schedule,omitempty"`
	Fired      string    `json:"fired,omitempty"`
	// Source is whose release it is.
	Source string `json:"source,omitempty"`
	// Redrivable: redriving it makes sense now; Against is why not, Outlook what
	// would become of it.
	Redrivable bool   `json:"redrivable"`
	Parked     bool   `json:"parked,omitempty"`
	Against    string `json:"against,omitempty"`
	Outlook    string `json:"outlook"`
	Body       string `json:"body,omitempty"`
	BodyBase64 string `json:"body_base64,omitempty"`
	// Outcome is there after a decision: redriven, discarded or left.
	Outcome string `json:"outcome,omitempty"`
}

// order is what a command asks for.
type order struct {
	Run       string           `json:"run"`
	Operation upload.Operation `json:"operation"`
	Tenant    string           `json:"tenant"`
	Upload    string           `json:"upload"`
	Version   int64            `json:"version"`
	Cutoff    time.Time        `json:"cutoff"`
	Reason    string           `json:"reason"`
}

func (o Office) pageOf(f found) page {
	p := page{
		ID: f.MessageID, Queue: f.box, SentAt: f.SentAt, Reason: f.Reason, Moved: f.Moved,
		OriginalID: f.OriginalID, Deliveries: f.Deliveries, Looks: f.Receives,
		Redrivable: f.Redriven(), Parked: f.Parked, Against: f.Against, Outlook: f.Outlook,
	}
	if c := f.Command; c.ID.Upload != "" {
		p.Command = &order{c.Run, c.Operation, c.ID.Tenant, c.ID.Upload, c.Version, c.Cutoff, c.Reason}
	}
	if f.box == Events {
		p.Trigger, p.Schedule, p.Fired = f.trigger.what, f.trigger.schedule, f.trigger.time
	}
	if f.box == Releases {
		p.Source = named(f.Source)
	}
	switch {
	case !o.Body:
	case utf8.ValidString(f.Body):
		p.Body = f.Body
	default:
		p.BodyBase64 = base64.StdEncoding.EncodeToString([]byte(f.Body))
	}
	return p
}
