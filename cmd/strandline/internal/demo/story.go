package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The story of 27 chunks: three upload sessions and three objects that no
// session knows, 30 hours after the sessions began. S1 keeps sending, S2 has
// been assembling ever since, S3 has been silent.
const (
	chunksS1   = 12
	lateS1     = 2 // of them, sent a day later
	chunksS2   = 7
	chunksS3   = 5
	strangers  = 3
	storyAge   = 30 * time.Hour
	storyHold  = time.Hour
	storyLease = 10 * time.Minute
	// storyGrace is less than the strangers' age.
	storyGrace = 24 * time.Hour
	betweenOne = 25 * time.Hour // pass two is that long after pass one
	storyOwner = "studio"
	storyName  = "chunks27"
	chunkBytes = 1_000
)

// storyCase is one way the story goes on after pass one.
type storyCase struct {
	name string
	// policy changes the installation's policy, between changes the world
	// between the passes, fault stands in front of the stores.
	policy  func(*policy.Policy)
	between func(context.Context, *story) error
	fault   *storyFault
	// deleted is how many chunks pass two deletes, kept how many of the ledger
	// it leaves; state is how its run ends ("error" if the pass fails).
	deleted, kept int64
	state         string
	unclear       bool // a delete's outcome is unclear, and looked up
	aftermath     bool // goes on with the reconciler
}

func storyCases() []storyCase {
	return []storyCase{
		{name: "S3 stays silent", deleted: 5, kept: 19, state: "done", aftermath: true},
		{name: "a chunk of S3 is confirmed again", between: confirmAgain, kept: 24, state: "done"},
		{name: "reading the sessions fails", fault: &storyFault{failReads: true}, kept: 24, state: "error"},
		{name: "a delete times out after it was done", fault: &storyFault{loseDelete: true}, deleted: 5, kept: 19, state: "done", unclear: true},
		{name: "the plan is over the limit", policy: func(p *policy.Policy) { p.MaxDeleteCount = 0 }, kept: 24, state: "paused"},
		{name: "S3 shows activity in the future", between: fromTheFuture, kept: 24, state: "stopped"},
	}
}

// story is one installation with the 27 chunks in it.
type story struct {
	*installation.Installation
	checks     *checks
	s1, s2, s3 *intake.Session
	fault      *storyFault
	found      ending

	cloud       cloud
	inventories string // a folder
}

// tellStory runs one case from the beginning.
func tellStory(ctx context.Context, c cloud, k storyCase, out *checks) (found ending, err error) {
	p := policy.Default()
	p.OrphanGrace = storyGrace
	if k.policy != nil {
		k.policy(&p)
	}
	fault := k.fault
	if fault == nil {
		fault = &storyFault{}
	}
	inventories, err := os.MkdirTemp("", "strandline-demo-*")
	if err != nil {
		return ending{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(inventories)) }()
	i, err := c.install(ctx, storyName, installation.Options{Policy: p, Wrap: fault.wrap, Inventories: delivered(inventories)})
	if err != nil {
		return ending{}, err
	}
	defer func() { err = errors.Join(err, remove(ctx, i)) }()
	s := &story{Installation: i, checks: out, fault: fault, cloud: c, inventories: inventories}
	if err := s.upload(ctx); err != nil {
		return ending{}, err
	}
	if err := s.passOne(ctx); err != nil {
		return ending{}, err
	}
	if err := s.passTwo(ctx, k); err != nil || !k.aftermath {
		return s.found, err
	}
	return s.found, s.aftermath(ctx)
}

// ending is what was found after pass two.
type ending struct {
	kept, deleted, held int64
	state               string
	rows                []row // of the aftermath
}

// upload builds the state that pass one finds.
func (s *story) upload(ctx context.Context) (err error) {
	if s.s1, err = s.reserve(ctx, "S1", chunksS1-lateS1); err != nil {
		return err
	}
	if s.s2, err = s.reserve(ctx, "S2", chunksS2); err != nil {
		return err
	}
	if s.s3, err = s.reserve(ctx, "S3", chunksS3); err != nil {
		return err
	}
	if err := errors.Join(
		putChunks(ctx, s.s1, 1, chunksS1-lateS1), putChunks(ctx, s.s2, 1, chunksS2), putChunks(ctx, s.s3, 1, chunksS3),
		s.s2.BeginAssembly(ctx),
	); err != nil {
		return err
	}
	for n := range strangers {
		if err := putBeside(ctx, s.Installation, fmt.Sprintf("%s%d", strangersFolder, n+1), chunkOf("stranger", 1, chunkBytes)); err != nil {
			return err
		}
	}
	s.Clock.Advance(storyAge - 10*time.Minute)
	if err := s.goOn(ctx); err != nil {
		return err
	}
	s.Clock.Advance(10 * time.Minute)
	return nil
}

// goOn takes S1 up again, on its slow line, and sends the last chunks.
func (s *story) goOn(ctx context.Context) (err error) {
	if s.s1, err = s.Intake.Acquire(ctx, s.s1.ID(), s.s1.Record().Holder, storyLease); err != nil {
		return err
	}
	if err := s.s1.Declare(ctx, lateS1); err != nil {
		return err
	}
	return putChunks(ctx, s.s1, 1, lateS1)
}

func (s *story) reserve(ctx context.Context, name string, chunks int) (*intake.Session, error) {
	return s.Intake.Reserve(ctx, intake.Request{
		Tenant: storyOwner, Owner: name, Holder: "phone-" + name, Lease: storyLease,
		Hold: storyHold, Bucket: s.Bucket, Prefix: "uploads", Chunks: chunks,
	})
}

func putChunks(ctx context.Context, session *intake.Session, from, to int) error {
	for seq := from; seq <= to; seq++ {
		if err := putChunk(ctx, session, seq, chunkOf(session.ID().Upload, seq, chunkBytes)); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) passOne(ctx context.Context) error {
	if err := s.Census(ctx); err != nil {
		return err
	}
	report, err := s.Pass(ctx)
	if err != nil {
		return err
	}
	if err := drainAll(ctx, s.Installation); err != nil {
		return err
	}
	t := report.Tally
	s.checks.same("pass one: the run", string(report.State), string(cleanup.RunDone))
	s.checks.equal("pass one: kept", t.Kept.Objects+t.Stuck.Objects, chunksS1+chunksS2)
	s.checks.equal("pass one: flagged as stuck", t.Stuck.Objects, chunksS2)
	s.checks.equal("pass one: marked", t.Marked.Objects, chunksS3)
	s.checks.equal("pass one: published", t.Published.Objects, 0)
	if err := s.countBucket(ctx, "pass one", chunksS3); err != nil {
		return err
	}
	return s.firstInventory(ctx)
}

// countBucket lists the bucket afresh: what stands for each session, and the
// strangers, which nobody may touch.
func (s *story) countBucket(ctx context.Context, when string, wantS3 int64) error {
	found := map[string]int64{}
	folders := map[string]string{
		s.s1.Record().Folder(): "S1", s.s2.Record().Folder(): "S2", s.s3.Record().Folder(): "S3", strangersFolder: "S4",
	}
	for v, err := range s.Stores.Objects.Versions(ctx, s.Bucket, "") {
		if err != nil {
			return err
		}
		for folder, name := range folders {
			if strings.HasPrefix(v.Key, folder) {
				found[name]++
			}
		}
		found["all"]++
	}
	s.checks.equal(when+": S1 stands", found["S1"], chunksS1)
	s.checks.equal(when+": S2 stands", found["S2"], chunksS2)
	s.checks.equal(when+": S3 stands", found["S3"], wantS3)
	s.checks.equal(when+": strangers stand", found["S4"], strangers)
	s.checks.equal(when+": versions in the bucket", found["all"], chunksS1+chunksS2+wantS3+strangers)
	return nil
}

func (s *story) passTwo(ctx context.Context, k storyCase) error {
	s.Clock.Advance(betweenOne - deliveredAfter - 10*time.Minute)
	if err := s.s1.Heartbeat(ctx); err != nil { // S1 keeps sending
		return err
	}
	if k.between != nil {
		if err := k.between(ctx, s); err != nil {
			return err
		}
	}
	s.Clock.Advance(10 * time.Minute)
	if err := s.Census(ctx); err != nil {
		return err
	}
	s.fault.arm()
	report, err := s.Pass(ctx)
	state := string(report.State)
	if err != nil {
		state = "error"
	}
	if err := drainAll(ctx, s.Installation); err != nil {
		return err
	}
	s.fault.disarm()
	s.found.state, s.found.deleted = state, s.Purged().Deleted.Objects
	s.checks.same("pass two: the run", state, k.state)
	s.checks.equal("pass two: deleted", s.Purged().Deleted.Objects, k.deleted)
	if err := s.countBucket(ctx, "pass two", chunksS3-k.deleted); err != nil {
		return err
	}
	return s.checkLedger(ctx, k)
}

// checkLedger compares the records with the case's outcome.
func (s *story) checkLedger(ctx context.Context, k storyCase) error {
	var kept int64
	for _, session := range []*intake.Session{s.s1, s.s2, s.s3} {
		r, err := s.Stores.Ledger.Load(ctx, session.ID())
		if err != nil {
			return err
		}
		if r.State != upload.StateDeleted {
			kept += r.Objects
		}
		if session == s.s3 && k.unclear {
			s.checks.holds("the record shows that a delete's outcome was unclear", !r.UncertainAt.IsZero())
			s.checks.equal("look-ups after the unclear delete", s.fault.lookups(), 1)
			s.checks.equal("deletes repeated blindly", s.fault.blind(), 0)
		}
	}
	holds, err := s.holds(ctx)
	if err != nil {
		return err
	}
	s.found.kept, s.found.held = kept, int64(len(holds))
	s.checks.equal("pass two: kept in the ledger", kept, k.kept)
	s.checks.equal("pass two: held", s.found.held, strangers)
	return nil
}
