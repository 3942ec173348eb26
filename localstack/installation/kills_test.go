package installation_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
	"github.com/strandline-dev/strandline/shared/policy"
)

var (
	killsWanted = flag.Int("kills", 0, "how many processes are killed; else 20, with reduced bounds 8, with full ones 200")
	killSeed    = flag.Uint64("seed", 1, "the seed of the first round of kills; each round has the next")
)

// killsPerRound is how many kills one installation sees.
const killsPerRound = 20

func kills() int {
	switch bounds := os.Getenv("STRANDLINE_BOUNDS"); {
	case *killsWanted > 0:
		return *killsWanted
	case bounds == "reduced":
		return 8
	case bounds == "full":
		return 200
	}
	return killsPerRound
}

// Processes of the worker and of the scheduler, two of each, overlapping, are
// killed by SIGKILL while they are at work: before a call reaches its service,
// while it is there, after it is done and before its answer is, and in between.
// In front of them stands a queue that delivers early and twice; beside them
// live writers. The work completes all the same, no delete is of anything that
// the ledger did not condemn by then, all that lives is there, nothing is left
// deleting, and nothing is given up.
//
// It is red when a worker finishes what it only began to delete, when it goes
// on with somebody else's claim without asking whose it is, when a message is
// acknowledged before its work is durable, when a claim that nobody has any
// more is not taken over, or when a cursor moves before the queue has what it
// passed.
func TestWhoeverIsKilledTheWorkCompletesAndNothingLiveIsLost(t *testing.T) {
	t.Parallel()
	binaries := killable(t)
	for round, left := uint64(0), kills(); left > 0; round, left = round+1, left-killsPerRound {
		seed, n := *killSeed+round, min(left, killsPerRound)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			began := time.Now()
			at := func(what string) { t.Logf("%s after %v", what, time.Since(began).Round(100*time.Millisecond)) }
			w := atTheEndOf(t, hasty(), 60*time.Hour)
			p := populate(t, w)
			k := &killing{t: t, w: w, people: p, binaries: binaries, seed: seed, planned: n}
			at("the processes start")
			k.run()
			at("all is done")
			k.assert()
			at("asserted")
			w.letTimePass(t)
			at("time passed")
			assertInvariants(t, w)
			at("asserted")
		})
	}
}

// killable builds the binaries, as they are deployed.
func killable(t *testing.T) map[string]string {
	t.Helper()
	binaries := map[string]string{}
	for _, name := range []string{byWorker, byScheduler} {
		main := filepath.Join("..", "..", "functions", name, "bootstrap")
		// Opened by this process, so that a result is not kept when it changes.
		_, err := os.ReadFile(filepath.Join(main, "main.go"))
		must(t, err)
		binaries[name] = filepath.Join(t.TempDir(), name)
		must(t, runtimeapi.Build(t.Context(), main, binaries[name]))
	}
	return binaries
}

// hasty is a policy with timeouts near their floors, for what runs on the real
// clock: a claim is over seconds after its worker died.
func hasty() policy.Policy {
	p := usual()
	p.WorkerTimeout, p.ClaimLease, p.VisibilityTimeout = 4*time.Second, 8*time.Second, 24*time.Second
	p.Burst = 40 // so that the larger uploads take several calls
	p.MaxDeletePercent, p.MaxDeleteCount = 100, 1_000_000
	p.MaxAttempts = 1_000
	return p
}
