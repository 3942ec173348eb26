package upload

import "time"

// scenario is one small world: who acts in it, how often each kind of trouble
// may happen, and for how many hours.
type scenario struct {
	name, story string
	ticks       int8
	start       func(m *model, w *world)
	left        allowance
	writers     int
	workers     int
	declared    int           // keys per attempt
	versions    int8          // how often one key may be put
	deadline    time.Duration // of reservations and acquisitions
	reserveHold minutes       // 0: none
	hold        minutes       // ahead, at completion; 0: permanent
	locked      [len(keys)]int8
	cancels     bool
	assembly    bool
	noComplete  bool
	unsafe      bool
	pair        bool
	tenPast     bool    // time also stops at ten past each hour
	defers      bool    // the scheduler plans those too
	aheadBy     minutes // of the clock that is ahead
	queue       int     // commands that may be out at once; 0: one
	expects     bool    // what has to come is stated with the declaration
}

// reserved is an upload that its first writer has just reserved.
func reserved(m *model, w *world) {
	m.begin(w, reserveFor(checkedID[0], m.sc))
	w.writers[0] = writer{fence: 1, deadline: w.now() + minutes(m.sc.deadline.Minutes()), declared: true}
}

func (m *model) begin(w *world, events ...Event) {
	for _, e := range events {
		if err := m.do(w, 0, e); err != nil {
			panic("the scenario " + m.sc.name + " cannot begin: " + err.Error())
		}
	}
}

// put1 puts and records the given sequences of the first attempt.
func put1(m *model, w *world, seqs ...int) {
	for _, seq := range seqs {
		w.land(keyIndex(Key{1, seq}))
		m.begin(w, RecordObject{Fence: 1, Seq: seq, VersionID: "v1", Size: 1, Checksum: theSum})
	}
}

// published is complete, with its first object listed and all writers gone but
// two: the one that completed it, and one that does not know.
func published(m *model, w *world) {
	reserved(m, w)
	put1(m, w, 1)
	m.begin(w, Complete{Fence: 1, List: []Key{{1, 1}}, HoldUntil: m.holdAhead(w)})
	w.writers[0] = writer{fence: 2}
	w.writers[1] = writer{fence: 1}
}

// givenUp is cancelled with two objects, one of which nobody recorded; its
// deadline is over.
func givenUp(m *model, w *world) {
	reserved(m, w)
	put1(m, w, 1)
	w.land(keyIndex(Key{1, 2}))
	m.begin(w, Cancel{1, "given up"})
	w.writers[0] = writer{}
	w.tick = 3
}

// leftover is complete without its second object, which stands, unrecorded.
func leftover(m *model, w *world) {
	reserved(m, w)
	put1(m, w, 1)
	w.land(keyIndex(Key{1, 2}))
	m.begin(w, Complete{Fence: 1, List: []Key{{1, 1}}, HoldUntil: m.holdAhead(w)})
	w.writers[0] = writer{}
}

// theSum is of the bytes that every writer means to send; what is stated of them
// is their size, one, and this.
const theSum = "sum"

func (sc *scenario) stated(size int64) []ExpectedObject {
	if !sc.expects {
		return nil
	}
	var all []ExpectedObject
	for seq := 1; seq <= sc.declared; seq++ {
		all = append(all, ExpectedObject{seq, Expected{Stated: true, Size: size, Checksum: theSum}})
	}
	return all
}

// scenarios are small enough to be visited whole. A reduced run ends each of
// them some hours earlier.
func scenarios() []*scenario {
	return []*scenario{
		{
			name: "takeover", story: "a second writer takes over under a first that does not know, whatever both then do",
			ticks: 2, start: reserved, writers: 2, declared: 1, versions: 1, deadline: tick, reserveHold: 2 * hour, hold: hour,
			cancels: true, assembly: true, defers: true, left: allowance{beats: 1, acquires: 1},
		},
		{
			name: "presigned", story: "what has to come was stated before its URL was signed; something else comes, and is stated, instead",
			ticks: 3, start: reserved, writers: 2, declared: 1, versions: 1, deadline: tick, reserveHold: 2 * hour, hold: hour,
			cancels: true, expects: true, left: allowance{beats: 1, acquires: 1},
		},
		{
			name: "no policy", story: "a process whose policy nobody set, over everything that can be condemned",
			ticks: 4, start: reserved, writers: 1, workers: 1, declared: 2, versions: 1, deadline: tick, reserveHold: hour, hold: hour,
			unsafe: true, cancels: true,
		},
		{
			name: "no policy, no hold", story: "the same, over a transfer without a hold",
			ticks: 5, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: 3 * tick, noComplete: true,
			unsafe: true, left: allowance{beats: 1},
		},
		{
			name: "wrong clock", story: "a pass whose clock is hours ahead plans and publishes over a writer that is alive",
			ticks: 6, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour, noComplete: true,
			cancels: true, aheadBy: 3 * hour, left: allowance{ahead: 2, beats: 1},
		},
		{
			name: "wrong clock, no hold", story: "the same, over a transfer without a hold",
			ticks: 6, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: tick, noComplete: true,
			aheadBy: 3 * hour, left: allowance{ahead: 1, beats: 1},
		},
		{
			name: "wrong clock, published", story: "the same, over a complete upload with a hold and leftovers",
			ticks: 6, start: leftover, workers: 1, declared: 2, versions: 1, deadline: tick, reserveHold: hour, hold: hour,
			aheadBy: 3 * hour, left: allowance{ahead: 2, extends: 1, adds: 1, drops: 1},
		},
		{
			name: "long hold", story: "a hold that somebody tries to shorten, while it is received and once it is complete",
			ticks: 5, start: reserved, writers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: 4 * hour, hold: 4 * hour,
			left: allowance{extends: 1},
		},
		{
			name: "writers stay", story: "complete until its hold ends, while writers that should be gone go on",
			ticks: 5, start: published, writers: 2, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour, hold: 30,
			cancels: true, left: allowance{beats: 1, acquires: 1},
		},
		{
			name: "one place, soon", story: "the beginning of it: two reservations for the last place and one content, and everything that gives them back",
			ticks: 3, start: func(*model, *world) {}, deadline: tick, hold: hour, pair: true, left: allowance{revivals: 1},
		},
		{
			name: "marked twice", story: "a pass whose clock is hours ahead publishes a claim; the mark is cleared and comes back",
			ticks: 7, start: reserved, writers: 1, workers: 1, deadline: tick, reserveHold: hour, noComplete: true,
			aheadBy: 4 * hour, left: allowance{ahead: 1, beats: 1},
		},
		{
			name: "late put", story: "marked and past its second grace while a put may still land",
			ticks: 7, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: 5 * tick, reserveHold: hour, noComplete: true,
		},
		{
			name: "short deadline", story: "the lease outlives the deadline; the owner gives it up under its writer",
			ticks: 3, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: time.Minute, reserveHold: hour,
			noComplete: true, tenPast: true, cancels: true, left: allowance{beats: 1, releases: 1},
		},
		{
			name: "parked", story: "a purge that fails until it is parked, and goes on when an operator lets it",
			ticks: 5, start: givenUp, workers: 2, declared: 2, versions: 1, deadline: tick, reserveHold: hour,
			left: allowance{retries: 3},
		},
		{
			name: "locked leftovers", story: "a leftover is locked until a date, then released with the rest",
			ticks: 8, start: leftover, workers: 1, declared: 2, versions: 1, deadline: tick, reserveHold: hour,
			locked: [len(keys)]int8{0, 5}, left: allowance{releases: 1, unclear: 1},
		},
		{
			name: "published for good", story: "permanent: holds are refused, references come and go, the last drop releases it, a reference revives it",
			ticks: 6, start: published, writers: 2, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour,
			cancels: true, left: allowance{extends: 1, adds: 2, drops: 2, releases: 1, lost: 1},
		},
		{
			name: "leftovers", story: "what a completed upload did not list is trimmed, unclear and late things included",
			ticks: 6, start: leftover, workers: 2, declared: 2, versions: 2, deadline: tick, reserveHold: hour,
			left: allowance{unclear: 1, rogue: 1},
		},
		{
			name: "put in flight", story: "given up while a put, or a presigned URL, is on its way; sent twice; one writer breaks its promise",
			ticks: 6, start: reserved, writers: 1, workers: 1, declared: 1, versions: 2, deadline: 2 * tick, reserveHold: hour,
			noComplete: true, cancels: true, left: allowance{releases: 1, rogue: 1},
		},
		{
			name: "locked", story: "one object is locked until a date; the tombstone is opened again then, and when something rises",
			ticks: 8, start: givenUp, workers: 1, declared: 2, versions: 2, deadline: tick, reserveHold: hour,
			locked: [len(keys)]int8{0, 6}, left: allowance{rogue: 1, lost: 1},
		},
		{
			name: "two workers", story: "a purge with crashes, sleeping workers, unclear deletes, continuations and duplicates",
			ticks: 5, start: givenUp, workers: 2, declared: 2, versions: 2, deadline: tick, reserveHold: hour,
			left: allowance{unclear: 1, continues: 2, lost: 1},
		},
		{
			name: "idle", story: "an upload with a hold: chunks and heartbeats come late, its hold is extended, it is marked and claimed",
			ticks: 7, start: reserved, writers: 1, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour,
			noComplete: true, left: allowance{beats: 1, extends: 1, lost: 1},
		},
		{
			name: "published with a hold", story: "complete until its hold ends: extended, referenced, released, marked, claimed; writers that should be gone",
			ticks: 7, start: published, writers: 2, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour, hold: hour,
			cancels: true, left: allowance{beats: 1, extends: 1, adds: 2, drops: 2, releases: 1},
		},
		{
			name: "one place", story: "two reservations for the last place and one content, and everything that gives them back",
			ticks: 6, start: func(*model, *world) {}, deadline: tick, hold: hour, pair: true, left: allowance{revivals: 1},
		},
		{
			name: "assembling", story: "never expired and never deleted, only flagged, until its writer acts",
			ticks: 5, start: reserved, writers: 2, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: hour, hold: hour,
			assembly: true, left: allowance{acquires: 1, releases: 1},
		},
		{
			name: "two writers", story: "a second writer takes over, the first does not know; either completes",
			ticks: 6, start: reserved, writers: 2, workers: 1, declared: 1, versions: 1, deadline: tick, reserveHold: 2 * hour, hold: hour,
			cancels: true, left: allowance{acquires: 1},
		},
		{
			name: "timed out", story: "an upload without a hold is repaired once its deadline and its activity are over",
			ticks: 7, start: reserved, writers: 2, workers: 1, declared: 1, versions: 1, deadline: 2 * tick,
			noComplete: true, left: allowance{beats: 1, acquires: 1, lost: 1},
		},
	}
}
