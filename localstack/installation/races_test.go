package installation_test

import (
	"os"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/policy"
)

// race is one story of things that happen in an unlucky order. Its name says
// the situation and what becomes of it; a comment says which guard it stands on
// and what happens without it.
type race struct {
	name string
	run  func(t *testing.T, w *world)
	// policy changes the usual policy; nil for no change.
	policy func(*policy.Policy)
	// large: it makes a thousand calls. With reduced bounds, as the race detector
	// has them, it runs in memory only: the wire's calls race in all others too.
	large bool
}

func races() []race {
	return slices.Concat(
		racesWithWriters, racesWithOwners, racesBetweenWorkers, racesOfAnswers, racesAboutObjects,
		racesOfMessages, racesOfPasses, racesOfLimits, racesOfTheGate, racesOfSize, racesOfTheDead,
		racesOfUploads, racesOfRepeatedUploads, racesOfNotices, racesOfURLs,
	)
}

// Every race runs on the memory adapters and over the wire, through the
// functions' own handlers. After it, and again after some days in which nothing
// is in the way, the protocol's invariants hold.
func TestRaces(t *testing.T) {
	for _, p := range places() {
		for _, r := range races() {
			if r.large && p.name == "wire" && os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
				continue
			}
			t.Run(p.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				rules := usual()
				if r.policy != nil {
					r.policy(&rules)
				}
				w := p.make(t, rules)
				r.run(t, w)
				assertInvariants(t, w)
				w.letTimePass(t)
				assertInvariants(t, w)
			})
		}
	}
}
