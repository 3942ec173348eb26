package installation_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/fault"
)

const (
	proofDoc  = projectRoot + "/docs/proof.md"
	notProven = "What is not proven"
)

// proofParts are in the document, whatever else is.
var proofParts = []string{
	"The protocol", "The whole pipeline, by seeds", "Every call fails", "Killed processes", "The rate", "Foreign bytes", "Cost and speed", notProven,
}

var (
	// namedTarget is a fuzz target as the document names it.
	namedTarget = regexp.MustCompile("`([a-z0-9/-]+) (Fuzz[A-Za-z0-9]+)`")
	// givenCommand is one that can be given, in a line of its own or in a sentence.
	givenCommand = regexp.MustCompile("(?m)^    ([^#\n]+)|`((?:make|go) [^`]+)`")
)

// Proof by a test that nobody has is no proof, and one that nobody can run again
// is a story.
func TestWhatIsProvenNamesTestsThatExistAndHowToRunThem(t *testing.T) {
	doc := readProof(t)
	wantNamedTests(t, doc)
	functions, _ := declaredTests(t)
	for _, n := range namedTarget.FindAllStringSubmatch(doc, -1) {
		if !functions[n[1]+" "+n[2]] {
			t.Errorf("there is no %s in %s", n[2], n[1])
		}
	}
	for _, heading := range proofParts {
		part := partOf(doc, heading)
		if part == "" {
			t.Errorf("there is no part %q", heading)
		}
		if !strings.Contains(part, "\n    ") && heading != notProven {
			t.Errorf("%q does not say how to run it again", heading)
		}
	}
	given := givenCommand.FindAllStringSubmatch(doc, -1)
	for _, found := range given {
		line := found[1] + found[2]
		if err := canBeGiven(line, functions); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if len(given) < 2*len(proofParts) {
		t.Errorf("%d commands", len(given))
	}
}

func TestEachRowOfWhatIsProvenHasATest(t *testing.T) {
	lines, columns, rows := strings.Split(readProof(t), "\n"), 0, 0
	for i, line := range lines[:len(lines)-1] {
		switch {
		case !strings.HasPrefix(line, "| "):
		case strings.HasPrefix(lines[i+1], "|---"):
			columns = strings.Count(line, "|")
		case strings.Count(line, "|") != columns || !namedTest.MatchString(line) && !namedTarget.MatchString(line):
			t.Errorf("a row without a test, or not as wide as its table: %.100s", line)
		default:
			rows++
		}
	}
	if rows < 40 {
		t.Errorf("%d rows", rows)
	}
}

// A number that was right once is believed for years.
func TestWhatIsProvenIsCountedAgain(t *testing.T) {
	doc := readProof(t)
	mutants, all := mutantsByInvariant(t)
	says(t, doc, "%d mutants", all)
	says(t, doc, "remaining %d mutants", mutants["§8"])
	says(t, doc, "%d guards", len(between(t, "/shared/upload/doc.go", "# Guards that stand on their own", "# What this package never does", "//   - ")))
	for i := range between(t, "/docs/protocol.md", "## 3. Invariants", "## 4. ", "") {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %d [^|]+\| ([^|]+) \|`, i+1)).FindStringSubmatch(doc)
		if row == nil {
			t.Errorf("nothing is said of invariant %d", i+1)
			continue
		}
		if n := mutants[strconv.Itoa(i+1)]; row[1] != strconv.Itoa(n) && (n != 0 || row[1] != "–") {
			t.Errorf("of invariant %d it says %s mutants, there are %d", i+1, row[1], n)
		}
	}
	functions, _ := declaredTests(t)
	targets := 0
	for name := range functions {
		if strings.Contains(name, " Fuzz") {
			targets++
		}
	}
	says(t, doc, "%d targets", targets)
	calls, _ := recorded(t, inMemoryWith)
	plays := 0
	for _, c := range calls {
		plays += len(fault.Cases(c.Operation))
	}
	says(t, doc, "%d calls, %d,%03d plays", len(calls), plays/1000, plays%1000)
}

// says expects a text in the document.
func says(t *testing.T, doc, text string, numbers ...any) {
	t.Helper()
	if text = fmt.Sprintf(text, numbers...); !strings.Contains(doc, text) {
		t.Errorf("it does not say %q", text)
	}
}

// mutantsByInvariant are those that the protocol's checker finds.
func mutantsByInvariant(t *testing.T) (by map[string]int, all int) {
	t.Helper()
	by = map[string]int{}
	raw, err := os.ReadFile(projectRoot + "/shared/upload/testdata/mutants")
	must(t, err)
	for line := range strings.Lines(string(raw)) {
		if f := strings.Split(line, " | "); len(f) == 4 && !strings.HasPrefix(line, "#") {
			by[f[2]]++
			all++
		}
	}
	return by, all
}

// between are the lines of a file from one text to another that begin as is
// asked, or with a number.
func between(t *testing.T, path, from, to, prefix string) (lines []string) {
	t.Helper()
	raw, err := os.ReadFile(projectRoot + path)
	must(t, err)
	_, part, _ := strings.Cut(string(raw), from)
	part, _, found := strings.Cut(part, to)
	for line := range strings.Lines(part) {
		if prefix != "" && strings.HasPrefix(line, prefix) || prefix == "" && numbered.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if !found || len(lines) == 0 {
		t.Fatalf("%s has nothing between %q and %q", path, from, to)
	}
	return lines
}

var numbered = regexp.MustCompile(`^\d+\. `)

func readProof(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(proofDoc)
	must(t, err)
	return string(raw)
}

// partOf is what stands below a heading.
func partOf(doc, heading string) string {
	_, part, found := strings.Cut(doc, "\n## "+heading+"\n")
	if !found {
		return ""
	}
	part, _, _ = strings.Cut(part, "\n## ")
	return part
}
