package cleanup

import (
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// job is one message on its way. One goroutine at a time has it.
type job struct {
	message command.Received
	command upload.Command
	record  upload.Record
	// expected is how many object versions the record lets expect.
	expected int

	// started: the warrant is in hand, since startedAt.
	started   bool
	startedAt time.Time
	trimming  bool
	warrant   upload.Warrant
	targets   []upload.Target
	fates     []fate
	// next is the first target that was not prepared yet.
	next int
	// parts are the ids of known multipart uploads, by S3 key.
	parts map[string][]string
	// standing is what was listed below the folder, by S3 key; nil: not listed.
	standing map[string][]objects.Version
	swept    bool // unknown multipart uploads were listed and aborted

	// use is a row that still refers to it.
	use source.Use
	// lost: somebody else has the record.
	lost      bool
	trouble   trouble
	outcome   Outcome
	concluded bool
}

// fate is what became of one target.
type fate struct {
	prepared bool
	open     int // versions without a final answer
	unclear  bool
	bytes    int64
	kept     upload.Retained // at most one count, however many versions
}

func (f fate) resolved() bool { return f.prepared && f.open == 0 }

// shot is one version that is to be deleted, for one target of a job.
type shot struct {
	job       *job
	target    int
	condemned upload.Condemned
	size      int64
}

// trouble is why a job stops early, and until when to wait. The zero trouble
// is none.
type trouble struct {
	kind   OutcomeKind
	reason string
	until  time.Time
}

// stop notes why the job stops. A failure, which counts an attempt, is never
// covered by a mere wait.
func (j *job) stop(t trouble) {
	if j.trouble.kind == "" || (t.kind == KindRetrying && j.trouble.kind != KindRetrying) {
		j.trouble = t
	}
}

func (j *job) stopped() bool { return j.trouble.kind != "" }

// runs reports that the job has a warrant, nothing against it, and targets left.
func (j *job) runs() bool { return j.started && !j.stopped() && j.next < len(j.targets) }

// expect notes how much the record lets expect.
func (j *job) expect(v upload.Verdict) {
	switch v {
	case upload.DoTrim:
		j.outcome.Objects, _ = j.record.Superseded()
	case upload.DoReopen: // begins anew
		j.outcome.Objects = j.record.Declared()
	default:
		j.outcome.Objects = max(0, j.record.Declared()-j.record.PurgedThrough)
	}
	j.expected = int(j.outcome.Objects)
}

// begin takes the warrant over.
func (j *job) begin(w upload.Warrant, now time.Time) {
	j.started, j.startedAt, j.outcome.Started = true, now, true
	j.warrant = w
	j.targets = w.Targets()
	j.fates = make([]fate, len(j.targets))
	j.outcome.Objects = int64(len(j.targets))
	j.parts = map[string][]string{}
	for _, m := range w.Multiparts() {
		key := w.ObjectKey(m.Key)
		j.parts[key] = append(j.parts[key], m.UploadID)
	}
}

// progress returns how many targets are dealt with in order, without a gap, and
// what of them is retained.
func (j *job) progress() (through int, kept upload.Retained) {
	for _, f := range j.fates {
		if !f.resolved() {
			break
		}
		through++
		kept = kept.Add(f.kept)
	}
	return through, kept
}

// goesOn reports whether the verdict is to act.
func goesOn(v upload.Verdict) bool {
	switch v {
	case upload.DoClaim, upload.DoReclaim, upload.DoTrim, upload.DoReopen:
		return true
	}
	return false
}
