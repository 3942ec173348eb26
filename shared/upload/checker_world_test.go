package upload

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// The checker's world is one installation in small: an upload or two, the
// bucket, the queue, and everybody who acts on them. It is a plain value, so
// that a copy is a branch, and its encoding decides whether it was seen.
//
// Time goes in ticks of one hour, and where a scenario
// needs it to ten past. The policy's graces are one tick, its margin
// and its release grace one minute: on the grid of ticks they only say
// "strictly before".
const (
	tick   = time.Hour
	margin = time.Minute
)

var origin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// minutes is an instant in minutes after origin; 0 stands for "none" where an
// instant is optional. Ticks begin at 1, so that no instant of a world is 0.
type minutes int16

const hour minutes = 60

func (m minutes) instant() time.Time { return origin.Add(time.Duration(m) * time.Minute) }

// checkedPolicy has every delay at its floor, or at the multiple of it that
// another floor asks for.
func checkedPolicy() policy.Policy {
	p := policy.Default()
	p.SafetyMargin, p.MaxClockSkew = margin, margin
	p.ActivityGrace, p.SecondGrace, p.ReleaseGrace = tick, tick, time.Minute
	p.StuckAfter = tick
	p.MaxLease, p.ClaimLease = 15*time.Minute, 15*time.Minute
	p.MaxAttempts = 3
	return p
}

// The generated keys that writers may use, and two that look like them.
var (
	keys      = [...]Key{{1, 1}, {1, 2}, {2, 1}, {3, 1}}
	checkedID = [...]ID{{"t", "u1"}, {"t", "u2"}}
)

type (
	// ref is a record that some world holds: 1 + its place among the model's
	// entries, 0 for none. Worlds hold no pointers, so that millions of them
	// cost the garbage collector nothing.
	ref int32
	// entry is a record, with the digest of all its fields but Version.
	entry struct {
		r      Record
		digest uint64
	}
	writer struct {
		fence    int8
		deadline minutes // by which its puts must end
		declared bool
	}
	// plan is a decision of the scheduler that waits for its execution.
	plan struct {
		kind    int8 // 0 none, else index into planned
		version int64
		cutoff  minutes
	}
	command struct {
		op      int8 // 0 none, else index into operations
		version int64
		cutoff  minutes
	}
	// worker is a purge in progress.
	worker struct {
		pc      pc
		verdict Verdict
		from    command
		snap    ref // the read that it was rechecked from
		claim   ref // what the claim's answer showed, or the trim began with
		gone    int8
		kept    int8
		listing bool // the current target was listed
		saw     int8 // and this version was seen there; 0 none
	}
	// allowance is how often each kind of trouble may still happen.
	allowance struct {
		beats, acquires, releases, extends, adds, drops int8
		retries, unclear, continues, rogue, ahead       int8
		revivals, lost                                  int8
	}
	// books is what the ledger keeps beside the records.
	books struct {
		quota    int8
		hash     int8 // the upload (1 or 2) whose content is live
		refLive  uint8
		refEver  uint8
		rogueHit bool
	}
)

type pc int8

const (
	idle pc = iota
	waiting
	unsure
	deleting
	trimming
)

var (
	planned    = [...]Kind{"", KindDefer, KindRepair, KindExpire}
	operations = [...]Operation{"", OpClaim, OpReclaim, OpTrim, OpReopen}
)

type world struct {
	tick    int8
	late    int8 // minutes after the hour
	up      [2]ref
	stands  [len(keys)]int8 // which version stands under the key
	made    [len(keys)]int8 // how many versions there ever were
	flight  [len(keys)]int8 // tick until which a put may land; 0 none
	writers [2]writer
	plan    plan
	queue   [2]command
	workers [2]worker
	left    allowance
	books   books
	owed    [2]owed
}

func (w *world) now() minutes { return minutes(w.tick)*hour + minutes(w.late) }

// rec is the record that a ref stands for. It must not be changed.
func (m *model) rec(at ref) *Record {
	if at == 0 {
		return &none
	}
	return &m.entries[at-1].r
}

var none Record

func (m *model) record(w *world, u int) Record { return *m.rec(w.up[u]) }

// intern returns the one ref of a record.
func (m *model) intern(r Record) ref {
	e := newEntry(r)
	id := [2]uint64{e.digest, uint64(r.Version)}
	at, known := m.places[id]
	if !known {
		m.entries = append(m.entries, e)
		at = ref(len(m.entries))
		m.places[id] = at
	}
	return at
}

func versionName(v int8) string {
	if v == 0 {
		return ""
	}
	return "v" + string('0'+rune(v))
}

func keyIndex(k Key) int { return slices.Index(keys[:], k) }

// encode writes everything that what follows can depend on. Versions are
// ranked: only whether they are equal, or which is the greater, ever matters.
func (m *model) encode(b []byte, w *world) []byte {
	var rank ranking
	for _, at := range w.up {
		rank.add(m.rec(at).Version)
	}
	rank.add(w.plan.version)
	for _, c := range w.queue {
		rank.add(c.version)
	}
	for i := range w.workers {
		rank.add(w.workers[i].from.version)
		if w.workers[i].pc != waiting {
			rank.add(m.rec(w.workers[i].snap).Version)
		}
		rank.add(m.rec(w.workers[i].claim).Version)
	}
	slices.Sort(rank.all[:rank.n])
	b = append(b, byte(w.tick), byte(w.late))
	for _, at := range w.up {
		b = m.encodeRef(b, &rank, at)
	}
	for i := range keys {
		b = append(b, byte(w.stands[i]), byte(w.made[i]), byte(w.flight[i]))
	}
	for _, x := range w.writers {
		b = append(b, byte(x.fence), byte(x.deadline), byte(x.deadline>>8), bit(x.declared))
	}
	b = append(b, byte(w.plan.kind), rank.of(w.plan.version), byte(w.plan.cutoff), byte(w.plan.cutoff>>8))
	for _, c := range w.queue {
		b = append(b, byte(c.op), rank.of(c.version), byte(c.cutoff), byte(c.cutoff>>8))
	}
	for i := range w.workers {
		x := &w.workers[i]
		b = append(b, byte(x.pc), byte(x.verdict), byte(x.from.op), rank.of(x.from.version), byte(x.from.cutoff), byte(x.from.cutoff>>8),
			byte(x.gone), byte(x.kept), bit(x.listing), byte(x.saw))
		if stale := x.snap != w.up[0] && !m.quirks.blind; x.pc == waiting && (stale || x.verdict == DoTrim) {
			b = append(b, 2) // it will be refused, or is not looked at
		} else {
			b = m.encodeRef(b, &rank, x.snap)
		}
		b = m.encodeRef(b, &rank, x.claim)
	}
	l := w.left
	b = append(b, byte(l.beats), byte(l.acquires), byte(l.releases), byte(l.extends), byte(l.adds), byte(l.drops), byte(l.retries),
		byte(l.unclear), byte(l.continues), byte(l.rogue), byte(l.ahead), byte(l.revivals), byte(l.lost))
	b = append(b, byte(w.books.quota), byte(w.books.hash), w.books.refLive, w.books.refEver, bit(w.books.rogueHit))
	for i := range w.owed {
		b = w.owed[i].encode(b)
	}
	return b
}

// ranking replaces versions by their order among those that the world holds.
type ranking struct {
	all [16]int64
	n   int
}

func (r *ranking) add(v int64) {
	if !slices.Contains(r.all[:r.n], v) {
		r.all[r.n] = v
		r.n++
	}
}

func (r *ranking) of(v int64) byte { return byte(slices.Index(r.all[:r.n], v)) }

func (m *model) encodeRef(b []byte, rank *ranking, at ref) []byte {
	if at == 0 {
		return append(b, 0)
	}
	e := &m.entries[at-1]
	b = append(b, 1, rank.of(e.r.Version))
	return binary.LittleEndian.AppendUint64(b, e.digest)
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

var seed = maphash.MakeSeed()

func newEntry(r Record) entry {
	return entry{r: r, digest: maphash.Bytes(seed, encodeRecord(make([]byte, 0, 256), r))}
}

// encodeRecord writes every field of a record but its version; of instants
// that are only ever asked for whether they are there, just that. A test
// counts the fields, so that none is forgotten.
func encodeRecord(b []byte, r Record) []byte {
	for _, text := range []string{
		r.Tenant, r.Upload, r.Holder, r.Token, r.Bucket, r.Prefix, r.Owner, r.ContentHash, r.Reason, r.Source, r.LastError, r.Retained.Reason,
	} {
		b = append(append(b, text...), 0)
	}
	for _, t := range []time.Time{
		r.LeaseUntil, r.HoldExpiresAt, r.DeadlineAt, r.LastActivityAt, r.ExpiredAt, r.DueAt, r.SupersededDueAt, r.Retained.Until,
	} {
		b = binary.LittleEndian.AppendUint32(b, uint32(t.Sub(origin)/time.Millisecond))
	}
	for _, n := range []int64{
		int64(r.Schema), int64(r.State), r.Fence, int64(r.MarkedFrom), r.Objects, r.Bytes, r.Refs, int64(r.Attempts), r.PurgedThrough, r.Retained.Count,
	} {
		b = append(b, byte(n))
	}
	b = append(b, bit(r.QuotaHeld), bit(r.HashHeld), bit(r.Trimmed), bit(r.CompletedAt.IsZero()), bit(r.UncertainAt.IsZero()),
		bit(r.ParkedAt.IsZero()), bit(r.TombstoneUntil.IsZero()), bit(r.ByEvents))
	return encodeManifest(b, r.Manifest)
}

func encodeManifest(b []byte, m Manifest) []byte {
	for _, a := range m.Attempts {
		b = append(b, 'a', byte(a.Number), byte(a.Declared))
		b = append(b, a.Listed...)
	}
	for _, o := range m.Objects {
		b = append(b, 'o', byte(o.Attempt), byte(o.Seq), byte(o.Size), bit(o.Expected.Stated), byte(o.Expected.Size))
		b = append(append(b, o.Expected.Checksum...), 0)
		b = append(append(b, o.Checksum...), 0)
		b = append(append(b, o.VersionID...), 0)
		for _, id := range o.Multiparts {
			b = append(append(b, id...), 0)
		}
	}
	for _, e := range m.Explicit {
		b = append(append(b, e.Key...), e.VersionID...)
	}
	return b
}
