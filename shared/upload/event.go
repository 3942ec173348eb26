package upload

import "time"

// Kind is the name of an event.
type Kind string

// The events of the protocol's §2, in its order.
const (
	KindReserve       Kind = "reserve"
	KindAdopt         Kind = "adopt"
	KindAcquire       Kind = "acquire"
	KindRenew         Kind = "renew"
	KindHeartbeat     Kind = "heartbeat"
	KindDeclare       Kind = "declare"
	KindRecordObject  Kind = "record-object"
	KindBeginAssembly Kind = "begin-assembly"
	KindComplete      Kind = "complete"
	KindCancel        Kind = "cancel"
	KindRelease       Kind = "release"
	KindAddReference  Kind = "add-reference"
	KindDropReference Kind = "drop-reference"
	KindExtendHold    Kind = "extend-hold"
	KindDefer         Kind = "defer"
	KindRepair        Kind = "repair"
	KindExpire        Kind = "expire"
	KindClaim         Kind = "claim"
	KindTrim          Kind = "trim"
	KindResupersede   Kind = "resupersede"
	KindReclaim       Kind = "reclaim"
	KindContinue      Kind = "continue"
	KindUnclear       Kind = "unclear"
	KindRetry         Kind = "retry"
	KindUnpark        Kind = "unpark"
	KindFinish        Kind = "finish"
	KindReopen        Kind = "reopen"
	KindWithdraw      Kind = "withdraw"
)

// Kinds lists every kind of event, in the protocol's order.
func Kinds() []Kind {
	return []Kind{
		KindReserve, KindAdopt, KindAcquire, KindRenew, KindHeartbeat, KindDeclare,
		KindRecordObject, KindBeginAssembly, KindComplete, KindCancel, KindRelease,
		KindAddReference, KindDropReference, KindExtendHold, KindDefer, KindRepair,
		KindExpire, KindClaim, KindTrim, KindResupersede, KindReclaim, KindContinue,
		KindUnclear, KindRetry, KindUnpark, KindFinish, KindReopen, KindWithdraw,
	}
}

// Event is one thing that happens to an upload.
type Event interface{ Kind() Kind }

// Reserve begins an upload (application). HoldUntil zero means no hold; a
// QuotaLimit of zero means that no quota is kept for the owner.
type Reserve struct {
	ID             ID
	Owner          string
	QuotaLimit     int64
	ContentHash    string
	IdempotencyKey string
	RequestDigest  string    // what makes two requests with one key the same
	KeyExpires     time.Time // when the idempotency key may be used again
	Holder         string
	Lease          time.Duration
	HoldUntil      time.Time
	Deadline       time.Duration // zero: the policy's UploadDeadline
	Bucket         string
	Prefix         string
	Declared       int // sequences of the first attempt; may be zero
	// Expect states what the declared objects have to be; ByEvents lets the
	// storage events of the last one complete the upload.
	Expect   []ExpectedObject
	ByEvents bool
}

// Adopt condemns object versions that were not uploaded through us (relay,
// operator). ID is derived from the object version, Source says where it came
// from; an Orphan waits QuarantineFor, anything else ReleaseGrace.
type Adopt struct {
	ID      ID
	Source  string
	Orphan  bool
	Objects []Explicit
}

// Acquire makes the caller the writer, with a new fence and a new deadline.
type Acquire struct {
	Holder   string
	Lease    time.Duration
	Deadline time.Duration // zero: the policy's UploadDeadline
}

// Renew moves the writer's lease.
type Renew struct {
	Fence int64
	Lease time.Duration
}

// Heartbeat says that the writer is alive; a status query counts as one.
type Heartbeat struct{ Fence int64 }

// Declare says which keys of the writer's attempt may be put: sequences
// 1..Declared, and multipart uploads begun on them. Before the put.
type Declare struct {
	Fence      int64
	Declared   int
	Multiparts []Multipart
	// Expect states what declared objects have to be. What was stated once
	// cannot be stated otherwise.
	Expect []ExpectedObject
}

// Multipart is one multipart upload begun on a declared key.
type Multipart struct {
	Key
	UploadID string
}

// RecordObject says that a declared key of the attempt that the fence names
// was put. A key's first version wins; a repetition is activity only.
type RecordObject struct {
	Fence     int64
	Seq       int
	VersionID string
	Size      int64
	ETag      string
	Checksum  string
}

// BeginAssembly ends receiving.
type BeginAssembly struct{ Fence int64 }

// Complete publishes the listed keys. Without HoldUntil the upload is
// permanent.
type Complete struct {
	Fence     int64
	List      []Key
	HoldUntil time.Time
}

// Cancel gives the upload up (its writer).
type Cancel struct {
	Fence  int64
	Reason string
}

// Release gives the upload up (its owner).
type Release struct {
	Owner  string
	Reason string
}

// Reference is a live use of a completed upload. An identity is used once.
type Reference struct {
	Source     string
	Entity     string
	Generation int64
}

// AddReference adds a live reference; it revives a cancelled upload that was
// complete before, and then takes quota and content hash again.
type AddReference struct {
	Reference  Reference
	QuotaLimit int64
}

// DropReference drops exactly that generation; the last drop is a release.
type DropReference struct{ Reference Reference }

// ExtendHold moves the hold later.
type ExtendHold struct{ HoldUntil time.Time }

// Defer moves DueAt to the earliest instant at which the upload could be
// eligible (scheduler).
type Defer struct {
	Version int64
	Cutoff  time.Time
}

// Repair cancels an overdue transfer without a hold (scheduler).
type Repair struct {
	Version int64
	Cutoff  time.Time
}

// Expire marks an upload whose hold is over: pass one (scheduler).
type Expire struct {
	Version int64
	Cutoff  time.Time
}

// Claim condemns for good: pass two (worker).
type Claim struct {
	Version int64
	Cutoff  time.Time
	Worker  string
	Token   string
}

// Trim records that the superseded objects are gone, or retained (worker).
type Trim struct {
	Version  int64
	Cutoff   time.Time
	Gone     int64
	Retained Retained
}

// Resupersede says that an object stands under a trimmed key (reconciler).
type Resupersede struct{ Key Key }

// Reclaim takes over a claim whose lease is over (worker).
type Reclaim struct {
	Worker string
	Token  string
}

// Continue keeps progress: of the declared objects in order, the first Through
// are gone or counted in Retained (worker).
type Continue struct {
	Fence    int64
	Through  int64
	Retained Retained
}

// Unclear notes that the outcome of a delete is not known, before anything is
// looked up or repeated (worker).
type Unclear struct{ Fence int64 }

// Retry gives the claim back after a failure (worker).
type Retry struct {
	Fence   int64
	Error   string
	Backoff time.Duration
}

// Unpark lets a parked purge go on (operator).
type Unpark struct{}

// Finish ends a purge. Gone counts the declared objects after PurgedThrough
// that do not stand any more, Retained those that must stay.
type Finish struct {
	Fence    int64
	Gone     int64
	Retained Retained
}

// Reopen takes a tombstone back into Deleting: a retention is over, or an
// object of it was seen (Undead).
type Reopen struct{ Undead bool }

// Withdraw gives up an adopted record of which nothing was claimed: it names
// nothing any more, and so nothing is deleted for it (operator).
type Withdraw struct{ Reason string }

func (Reserve) Kind() Kind       { return KindReserve }
func (Adopt) Kind() Kind         { return KindAdopt }
func (Acquire) Kind() Kind       { return KindAcquire }
func (Renew) Kind() Kind         { return KindRenew }
func (Heartbeat) Kind() Kind     { return KindHeartbeat }
func (Declare) Kind() Kind       { return KindDeclare }
func (RecordObject) Kind() Kind  { return KindRecordObject }
func (BeginAssembly) Kind() Kind { return KindBeginAssembly }
func (Complete) Kind() Kind      { return KindComplete }
func (Cancel) Kind() Kind        { return KindCancel }
func (Release) Kind() Kind       { return KindRelease }
func (AddReference) Kind() Kind  { return KindAddReference }
func (DropReference) Kind() Kind { return KindDropReference }
func (ExtendHold) Kind() Kind    { return KindExtendHold }
func (Defer) Kind() Kind         { return KindDefer }
func (Repair) Kind() Kind        { return KindRepair }
func (Expire) Kind() Kind        { return KindExpire }
func (Claim) Kind() Kind         { return KindClaim }
func (Trim) Kind() Kind          { return KindTrim }
func (Resupersede) Kind() Kind   { return KindResupersede }
func (Reclaim) Kind() Kind       { return KindReclaim }
func (Continue) Kind() Kind      { return KindContinue }
func (Unclear) Kind() Kind       { return KindUnclear }
func (Retry) Kind() Kind         { return KindRetry }
func (Unpark) Kind() Kind        { return KindUnpark }
func (Finish) Kind() Kind        { return KindFinish }
func (Reopen) Kind() Kind        { return KindReopen }
func (Withdraw) Kind() Kind      { return KindWithdraw }
