package dynamo

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// head is an upload's item: its record, and its manifest or where that is.
// Names are short where there are many of them: DynamoDB bills them too.
type head struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	DueShard string `dynamodbav:"due_shard,omitempty"`
	DueAt    string `dynamodbav:"due_at,omitempty"`
	TTL      int64  `dynamodbav:"ttl,omitempty"`
	// Stamp is random per write: how a write whose answer was lost is known.
	Stamp string `dynamodbav:"stamp"`

	Schema     int    `dynamodbav:"schema"`
	State      string `dynamodbav:"state"`
	Version    int64  `dynamodbav:"version"`
	Fence      int64  `dynamodbav:"fence,omitempty"`
	Holder     string `dynamodbav:"holder,omitempty"`
	LeaseUntil *int64 `dynamodbav:"lease_until,omitempty"`
	Token      string `dynamodbav:"token,omitempty"`

	HoldExpiresAt  *int64 `dynamodbav:"hold_expires_at,omitempty"`
	DeadlineAt     *int64 `dynamodbav:"deadline_at,omitempty"`
	LastActivityAt *int64 `dynamodbav:"activity_at,omitempty"`
	ExpiredAt      *int64 `dynamodbav:"expired_at,omitempty"`
	MarkedFrom     string `dynamodbav:"marked_from,omitempty"`
	CompletedAt    *int64 `dynamodbav:"completed_at,omitempty"`

	Bucket      string `dynamodbav:"bucket,omitempty"`
	Prefix      string `dynamodbav:"prefix,omitempty"`
	Objects     int64  `dynamodbav:"objects,omitempty"`
	Bytes       int64  `dynamodbav:"bytes,omitempty"`
	Refs        int64  `dynamodbav:"refs,omitempty"`
	Owner       string `dynamodbav:"owner,omitempty"`
	ContentHash string `dynamodbav:"hash,omitempty"`
	QuotaHeld   bool   `dynamodbav:"quota_held,omitempty"`
	HashHeld    bool   `dynamodbav:"hash_held,omitempty"`
	ByEvents    bool   `dynamodbav:"by_events,omitempty"`
	Reason      string `dynamodbav:"reason,omitempty"`
	Source      string `dynamodbav:"source,omitempty"`

	SupersededDueAt *int64 `dynamodbav:"superseded_due_at,omitempty"`
	Trimmed         bool   `dynamodbav:"trimmed,omitempty"`

	Attempts       int    `dynamodbav:"attempts,omitempty"`
	LastError      string `dynamodbav:"last_error,omitempty"`
	UncertainAt    *int64 `dynamodbav:"uncertain_at,omitempty"`
	PurgedThrough  int64  `dynamodbav:"purged_through,omitempty"`
	ParkedAt       *int64 `dynamodbav:"parked_at,omitempty"`
	RetainedCount  int64  `dynamodbav:"retained,omitempty"`
	RetainedUntil  *int64 `dynamodbav:"retained_until,omitempty"`
	RetainedReason string `dynamodbav:"retained_reason,omitempty"`
	TombstoneUntil *int64 `dynamodbav:"tombstone_until,omitempty"`

	Writers  []writer   `dynamodbav:"writers,omitempty"`
	Inline   []object   `dynamodbav:"manifest,omitempty"`
	Explicit []explicit `dynamodbav:"explicit,omitempty"`
	// Paged is set when objects and explicit ones are in pages: their sum.
	Paged string `dynamodbav:"paged,omitempty"`
}

// encode turns a record into its item.
func encode(r upload.Record, stamp string) (item, error) {
	if r.DueAt.UTC().Year() > 9999 {
		return nil, fmt.Errorf("%w: due in the year %d", upload.ErrRefused, r.DueAt.Year())
	}
	at := uploadKey(r.ID)
	h := head{
		PK: at.pk, SK: at.sk, TTL: ttl(r.TombstoneUntil), Stamp: stamp,
		Schema: r.Schema, State: r.State.String(), Version: r.Version, Fence: r.Fence,
		Holder: r.Holder, LeaseUntil: millis(r.LeaseUntil), Token: r.Token,
		HoldExpiresAt: millis(r.HoldExpiresAt), DeadlineAt: millis(r.DeadlineAt),
		LastActivityAt: millis(r.LastActivityAt), ExpiredAt: millis(r.ExpiredAt), CompletedAt: millis(r.CompletedAt),
		Bucket: r.Bucket, Prefix: r.Prefix, Objects: r.Objects, Bytes: r.Bytes, Refs: r.Refs,
		Owner: r.Owner, ContentHash: r.ContentHash, QuotaHeld: r.QuotaHeld, HashHeld: r.HashHeld,
		ByEvents: r.ByEvents, Reason: r.Reason, Source: r.Source, SupersededDueAt: millis(r.SupersededDueAt), Trimmed: r.Trimmed,
		Attempts: r.Attempts, LastError: r.LastError, UncertainAt: millis(r.UncertainAt),
		PurgedThrough: r.PurgedThrough, ParkedAt: millis(r.ParkedAt),
		RetainedCount: r.Retained.Count, RetainedUntil: millis(r.Retained.Until), RetainedReason: r.Retained.Reason,
		TombstoneUntil: millis(r.TombstoneUntil),
	}
	if r.MarkedFrom != upload.StateNone {
		h.MarkedFrom = r.MarkedFrom.String()
	}
	if !r.DueAt.IsZero() {
		h.DueShard, h.DueAt = dueShard(ledger.Shard(r.ID)), dueSort(r.DueAt, r.ID)
	}
	h.takeManifest(r.Manifest)
	return attributevalue.MarshalMap(h)
}

// record turns an item, without pages, back into its record. A record of a
// schema that this code does not know keeps only what lets everybody leave it
// alone.
func (h head) record() (upload.Record, error) {
	id, err := parseUpload(h.PK)
	if err != nil {
		return upload.Record{}, err
	}
	state, err := upload.ParseState(h.State)
	if h.Schema > upload.Schema {
		return upload.Record{ID: id, Schema: h.Schema, State: state, Version: h.Version}, nil
	}
	if err != nil {
		return upload.Record{}, fmt.Errorf("upload %s: %w", id.Upload, err)
	}
	marked, due, err := h.markedAndDue()
	if err == nil {
		err = h.checkWriters()
	}
	if err != nil {
		return upload.Record{}, fmt.Errorf("upload %s: %w", id.Upload, err)
	}
	return upload.Record{
		ID: id, Schema: h.Schema, State: state, Version: h.Version, Fence: h.Fence,
		Holder: h.Holder, LeaseUntil: fromMillis(h.LeaseUntil), Token: h.Token,
		HoldExpiresAt: fromMillis(h.HoldExpiresAt), DeadlineAt: fromMillis(h.DeadlineAt),
		LastActivityAt: fromMillis(h.LastActivityAt), ExpiredAt: fromMillis(h.ExpiredAt),
		MarkedFrom: marked, CompletedAt: fromMillis(h.CompletedAt), DueAt: due,
		Bucket: h.Bucket, Prefix: h.Prefix, Objects: h.Objects, Bytes: h.Bytes, Refs: h.Refs,
		Owner: h.Owner, ContentHash: h.ContentHash, QuotaHeld: h.QuotaHeld, HashHeld: h.HashHeld,
		ByEvents: h.ByEvents, Reason: h.Reason, Source: h.Source, SupersededDueAt: fromMillis(h.SupersededDueAt), Trimmed: h.Trimmed,
		Attempts: h.Attempts, LastError: h.LastError, UncertainAt: fromMillis(h.UncertainAt),
		PurgedThrough: h.PurgedThrough, ParkedAt: fromMillis(h.ParkedAt),
		Retained:       upload.Retained{Count: h.RetainedCount, Until: fromMillis(h.RetainedUntil), Reason: h.RetainedReason},
		TombstoneUntil: fromMillis(h.TombstoneUntil),
		Manifest:       h.manifest(),
	}, nil
}

// checkWriters refuses what no writer may have declared: whoever purges goes over
// every declared key, and an item that was damaged must not keep it for good.
func (h head) checkWriters() error {
	for _, w := range h.Writers {
		if w.Declared < 0 || w.Declared > upload.MaxDeclared {
			return fmt.Errorf("attempt %d declares %d keys: expected 0 to %d", w.Number, w.Declared, upload.MaxDeclared)
		}
	}
	return nil
}

func (h head) markedAndDue() (marked upload.State, due time.Time, err error) {
	if h.MarkedFrom != "" {
		if marked, err = upload.ParseState(h.MarkedFrom); err != nil {
			return marked, due, err
		}
	}
	if h.DueAt != "" {
		due, err = parseDue(h.DueAt)
	}
	return marked, due, err
}
