package installation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/localstack/runtimeapi"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

// killing is one round: processes at work on one installation, and their end.
type killing struct {
	t        *testing.T
	w        *world
	people   *population
	binaries map[string]string
	seed     uint64
	planned  int

	mu       sync.Mutex
	left     map[string]int // kills that have not landed, by function
	inside   map[string]int // of them, those that have to be in the middle of a change
	landed   map[string]int // by function, moment and operation
	by       map[string]int // by function
	done     bool           // nothing was left to do
	late     map[string]int // kills when it was so, by function
	missed   int            // kills of a process that had just become idle
	timedOut int
	failures map[string]int // what functions failed with
	wrong    []string
	lines    []audit.Line
	texts    []string
	fired    time.Time // when a schedule fired last
}

// withinRound bounds a round on any machine; it takes some 20 seconds.
const withinRound = 5 * time.Minute

// run has everybody work until all kills have landed and the work is done.
func (k *killing) run() {
	k.left = map[string]int{byWorker: k.planned - k.planned*2/5, byScheduler: k.planned * 2 / 5}
	k.inside = map[string]int{byWorker: (k.left[byWorker] + 2) / 3, byScheduler: (k.left[byScheduler] + 2) / 3}
	k.landed, k.by, k.late, k.failures = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	ctx, cancel := context.WithTimeout(k.t.Context(), withinRound)
	defer cancel()
	var group errgroup.Group
	ctx, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		if err := group.Wait(); err != nil {
			k.t.Error(err)
		}
	}()
	for n := range 2 {
		group.Go(func() error { return k.work(ctx, n) })
		group.Go(func() error { return k.schedule(ctx, n) })
	}
	if unfinished := k.lookOn(ctx); unfinished != "" {
		k.t.Errorf("after %v: %s", withinRound, unfinished)
	}
}

// lookOn lets people go on with their uploads until nothing is left to do, and
// returns what is unfinished when time is up.
func (k *killing) lookOn(ctx context.Context) (unfinished string) {
	const now = 300 * time.Millisecond // and then
	began := time.Now()
	for k.remaining(byWorker)+k.remaining(byScheduler) > 0 {
		k.people.lives(k.t, k.w)
		k.people.waver(ctx)
		if k.people.unfinished(k.t, k.w) == "" {
			k.nothingIsLeft()
		}
		if pause(ctx, now) != nil {
			return "kills are left"
		}
	}
	k.t.Logf("all kills have landed within %v", time.Since(began).Round(100*time.Millisecond))
	for {
		k.people.waver(ctx)
		if unfinished = k.people.unfinished(k.t, k.w); unfinished == "" || pause(ctx, now) != nil {
			return unfinished
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (k *killing) remaining(function string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return max(0, k.left[function], k.inside[function])
}

// nothingIsLeft notes that the work is done: who is killed now proves nothing.
func (k *killing) nothingIsLeft() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done = true
}

// environment is where one function's processes live, one after the other.
type environment struct {
	*killing
	function string
	tap      *tap
	random   *rand.Rand
	// calls is about how many of them an invocation makes.
	calls int
}

func (k *killing) environment(function string, n, calls int) *environment {
	e := &environment{killing: k, function: function, calls: calls}
	e.random = rand.New(rand.NewPCG(k.seed, uint64(len(function)*100+n)))
	e.tap = newTap(localstacktest.Endpoint(k.t), localstacktest.Config(k.t).HTTPClient)
	e.tap.judge = func(ctx context.Context, d deleteCall) { k.blame(unjust(ctx, k.w, d)...) }
	e.tap.killed = e.killed
	return e
}

func (k *killing) blame(wrong ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wrong = append(k.wrong, wrong...)
}

// killed notes a kill: one that found its process idle is no kill.
func (e *environment) killed(operation string, at strike, busy bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !busy {
		e.missed++
		return
	}
	e.landed[fmt.Sprintf("%s %s %s", e.function, at.when, operation)]++
	e.by[e.function]++
	e.left[e.function]--
	if at.when != nextToIt && !slices.Contains(looks, operation) {
		e.inside[e.function]--
	}
	if e.done {
		e.late[e.function]++
	}
}

// start has a process take the place of the one before it, and plans its end as
// long as kills are left.
func (e *environment) start() (*runtimeapi.Process, error) {
	variables := []string{
		"AWS_ENDPOINT_URL=" + e.tap.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"STRANDLINE_TABLE=" + e.w.table(), "STRANDLINE_QUEUE_URL=" + e.w.hands.(wireHands).QueueURL,
	}
	if e.function == byWorker {
		variables = append(variables, "STRANDLINE_DEAD_LETTER_URL="+e.w.hands.(wireHands).DeadLetterURL, "STRANDLINE_DEADLINE_MARGIN=2s")
	}
	for name, value := range e.w.Policy.Settings() {
		variables = append(variables, name+"="+value)
	}
	p, err := runtimeapi.Start(e.binaries[e.function], variables, &said{killing: e.killing})
	if err != nil {
		return nil, err
	}
	var s *strike
	if e.remaining(e.function) > 0 {
		s = e.strike()
	}
	e.tap.arm(p, s)
	return p, nil
}

// strike plans a kill: two of three at a call that changes something.
func (e *environment) strike() *strike {
	s := &strike{
		call: 1 + e.random.IntN(e.calls), when: moment(e.random.IntN(int(moments))),
		delay: time.Duration(e.random.IntN(2_000)) * time.Microsecond,
	}
	if s.changes = e.random.IntN(3) > 0; s.changes {
		s.call = 1 + s.call/2
	}
	return s
}

var instants = regexp.MustCompile(`\d{4}-\d\d-\d\dT[^ ,]*`)

// invoke is one invocation, which has so long. That the process is gone is no
// error: gone.
func (e *environment) invoke(p *runtimeapi.Process, event []byte, within time.Duration) (answer []byte, gone bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.t.Context()), within)
	defer cancel()
	answer, err = p.Invoke(ctx, event)
	var failure *runtimeapi.FunctionError
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case errors.Is(err, runtimeapi.ErrTimedOut):
		e.timedOut++
		return nil, true, nil
	case errors.Is(err, runtimeapi.ErrEnded):
		return nil, true, nil
	case errors.As(err, &failure):
		e.failures[e.function+": "+instants.ReplaceAllString(failure.Message, "…")]++
		return nil, false, nil
	}
	return answer, false, err
}

// assert is what must hold when the round is over.
func (k *killing) assert() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.assertLanded()
	k.assertWork()
	assertInvariants(k.t, k.w)
	k.assertSaid()
}

// assertLanded: enough processes were killed in the middle of something, or
// nothing is proven.
func (k *killing) assertLanded() {
	t, total := k.t, 0
	for _, n := range k.landed {
		total += n
	}
	t.Logf("%d kills landed while something was under way (%v; %d found nobody at work, %d invocations took too long):", total, k.by, k.missed, k.timedOut)
	for _, what := range slices.Sorted(maps.Keys(k.landed)) {
		t.Logf("  %2d %s", k.landed[what], what)
	}
	for _, what := range slices.Sorted(maps.Keys(k.failures)) {
		t.Logf("  %2d times %s", k.failures[what], what)
	}
	writes := map[string]int{}
	for _, l := range k.lines {
		writes[l.What]++
	}
	t.Logf("the processes say that they wrote %v", writes)
	if total < k.planned {
		t.Errorf("%d kills landed of %d", total, k.planned)
	}
	for _, function := range []string{byWorker, byScheduler} {
		if k.late[function]*2 > k.by[function] {
			t.Errorf("of %d kills of a %s %d came when all was done: they prove nothing", k.by[function], function, k.late[function])
		}
	}
	if k.planned >= killsPerRound && writes[string(upload.KindReclaim)] == 0 {
		t.Error("nobody took over what a worker that was killed had claimed: none was killed in the middle of its work")
	}
}

// assertWork: what was condemned went by the right deletes, what lives was left,
// and nothing was given up.
func (k *killing) assertWork() {
	t := k.t
	for _, wrong := range k.wrong {
		t.Error(wrong)
	}
	if letters := k.w.hands.letters(t); len(letters) > 0 {
		t.Errorf("dead letters: %q", letters)
	}
	for _, id := range k.people.live {
		if r := k.w.load(t, id); given(r) {
			t.Errorf("upload %s lived, and is %s", r.Upload, r.State)
		}
	}
	for _, r := range k.w.records(t) {
		k.w.recorder.unsure[r.ID] = true // others have written it too
		if given(r) && !slices.Contains(k.people.condemned, r.ID) {
			t.Errorf("upload %s is %s, and nobody condemned it", r.Upload, r.State)
		}
	}
}

// fenced are the events by whose result everybody knows whose it was.
var fenced = []upload.Kind{upload.KindClaim, upload.KindReclaim, upload.KindContinue, upload.KindUnclear, upload.KindRetry, upload.KindFinish}

// assertSaid: of each write under a fence at most one process says that it was
// its own, none says so of a write that was not done, and none says a key.
func (k *killing) assertSaid() {
	records := k.w.records(k.t)
	versions, sure := map[string]int64{}, map[string]int{}
	for _, r := range records {
		versions[r.Tenant+"/"+r.Upload] = r.Version
		for _, text := range k.texts {
			if strings.Contains(text, r.Folder()) {
				k.t.Errorf("a process says a key of upload %s", r.Upload)
			}
		}
	}
	for _, l := range k.lines {
		assertWords(k.t, l)
		if l.Outcome == audit.Unclear || l.Upload == "" {
			continue
		}
		about := l.Tenant + "/" + l.Upload
		write := fmt.Sprintf("version %d of upload %s", l.Version, about)
		if sure[write]++; sure[write] > 1 && slices.Contains(fenced, upload.Kind(l.What)) {
			k.t.Errorf("two processes say that %s is theirs", write)
		}
		if l.Version > versions[about] {
			k.t.Errorf("a process says that it wrote %s, which has %d", write, versions[about])
		}
	}
}

// given reports whether the upload was given up, or worse.
func given(r upload.Record) bool {
	return r.State == upload.StateCancelled || r.State == upload.StateDeleting || r.State == upload.StateDeleted
}
