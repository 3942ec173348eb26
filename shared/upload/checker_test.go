package upload

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// worldLimit bounds a scenario that a mistake made endless; none of them comes
// near it.
const worldLimit = 2_000_000

var updateMutants = flag.Bool("update-mutants", false, "write testdata/mutants")

// reduced reports whether the bound is lowered, as under the race detector:
// every scenario then ends two hours earlier, and no mutants are hunted.
func reduced() bool { return os.Getenv("STRANDLINE_BOUNDS") == "reduced" }

// inParallel runs the jobs on every core, and waits for them.
func inParallel(jobs []func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	next := make(chan func())
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		next <- job
	}
	close(next)
	workers.Wait()
}

// Every interleaving of the scenarios' actors keeps every invariant of the
// protocol. A failure is told with the shortest way to it.
func TestProtocolHoldsInEveryInterleaving(t *testing.T) {
	all := scenarios()
	results := make([]found, len(all))
	var jobs []func()
	for i, sc := range all {
		if reduced() {
			sc.ticks -= 2
		}
		jobs = append(jobs, func() { results[i] = newModel(sc, protocol, quirks{}).explore(worldLimit) })
	}
	slices.Reverse(jobs) // the large ones first
	inParallel(jobs)
	total := 0
	for i, got := range results {
		total += got.states
		t.Logf("%8d worlds  %-22s until %02d:00  %s", got.states, all[i].name, all[i].ticks, all[i].story)
		if got.broken != nil {
			t.Errorf("%s: invariant %v\n%s", all[i].name, got.broken, strings.Join(got.trace, "\n"))
		}
	}
	t.Logf("%8d distinct worlds in %d scenarios", total, len(all))
	if !reduced() {
		wantInProof(t, total, len(all))
	}
}

// What the document of proofs says of the bound is what was visited.
func wantInProof(t *testing.T, worlds, scenarios int) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprintf("all %d worlds of %d scenarios", worlds, scenarios); !strings.Contains(strings.ReplaceAll(string(raw), ",", ""), said) {
		t.Errorf("docs/proof.md does not say: %s", said)
	}
}

// Each guard that is left out lets an invariant fall, and so does each mistake
// of an engine. What falls for which is kept in testdata/mutants, and printed.
func TestProtocolNeedsEachOfItsGuards(t *testing.T) {
	if reduced() {
		t.Log("bounds are reduced: the mutants are hunted in the full run")
		return
	}
	known, argued := knownMutants(t), arguedGuards(t)
	var hunted []mutant
	for _, m := range guardMutants() {
		if !argued[m.name] {
			hunted = append(hunted, m)
		}
	}
	hunted = append(hunted, otherMutants()...)
	results := make([]caught, len(hunted))
	var jobs []func()
	for i, m := range hunted {
		jobs = append(jobs, func() { results[i] = m.hunt(known[m.name].scenario) })
	}
	inParallel(jobs)
	for i, m := range hunted {
		got := results[i]
		t.Logf("%-4s %s  ⟵  without %q, in %q", got.number, got.says, m.name, got.scenario)
		switch {
		case got == caught{}:
			t.Errorf("%q can be left out and no invariant falls: argue it in doc.go, or drop it", m.name)
		case got != known[m.name] && !*updateMutants:
			t.Errorf("%q: testdata/mutants says %v, got %v; if that is meant: -update-mutants", m.name, known[m.name], got)
		}
	}
	if *updateMutants {
		writeMutants(t, hunted, results)
	} else if len(known) != len(hunted) {
		t.Errorf("testdata/mutants has %d lines for %d mutants", len(known), len(hunted))
	}
	t.Logf("%d mutants, each caught; %d guards stand on their own", len(hunted), len(argued))
}

const mutantsFile = "testdata/mutants"

func knownMutants(t *testing.T) map[string]caught {
	t.Helper()
	raw, err := os.ReadFile(mutantsFile)
	if err != nil && !*updateMutants {
		t.Fatal(err)
	}
	known := map[string]caught{}
	lines := bufio.NewScanner(strings.NewReader(string(raw)))
	for lines.Scan() {
		if f := strings.Split(lines.Text(), " | "); len(f) == 4 && !strings.HasPrefix(f[0], "#") {
			known[f[0]] = caught{scenario: f[1], number: f[2], says: f[3]}
		}
	}
	return known
}

func writeMutants(t *testing.T, hunted []mutant, results []caught) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# What is left out or wrong | in which scenario | which invariant falls | how\n")
	for i, m := range hunted {
		fmt.Fprintf(&b, "%s | %s | %s | %s\n", m.name, results[i].scenario, results[i].number, results[i].says)
	}
	if err := os.WriteFile(mutantsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// arguedGuards reads doc.go's list of guards that stand on their own.
func arguedGuards(t *testing.T) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(raw), "// # Guards that stand on their own\n")
	if !ok {
		t.Fatal("doc.go has no section on guards that stand on their own")
	}
	section, _, _ = strings.Cut(section, "\n// # ")
	all := map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		if item, ok := strings.CutPrefix(line, "//   - "); ok {
			name, reason := arguedGuard(item)
			if name == "" || len(reason) < 8 {
				t.Errorf("doc.go argues %q, which is no guard of the table, or gives no reason", item)
			}
			all[name] = true
		}
	}
	return all
}

// arguedGuard splits "row: guard: reason" at the guard's name.
func arguedGuard(item string) (name, reason string) {
	for _, m := range guardMutants() {
		if rest, ok := strings.CutPrefix(item, m.name+": "); ok {
			return m.name, rest
		}
	}
	return "", ""
}

// A field that is not encoded would make two worlds one.
func TestTheCheckerEncodesEveryFieldOfARecord(t *testing.T) {
	for kind, want := range map[reflect.Type]int{
		reflect.TypeFor[Record](): 37, reflect.TypeFor[Manifest](): 3, reflect.TypeFor[Attempt](): 3,
		reflect.TypeFor[Object](): 7, reflect.TypeFor[Expected](): 3, reflect.TypeFor[Retained](): 3,
	} {
		if kind.NumField() != want {
			t.Errorf("%s has %d fields, encodeRecord was written for %d: add the new one there", kind, kind.NumField(), want)
		}
	}
}

func TestTheCheckedPolicyIsAtItsFloorsAndValid(t *testing.T) {
	if err := checkedPolicy().Validate(); err != nil {
		t.Fatal(err)
	}
}
