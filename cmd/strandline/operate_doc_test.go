package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
)

var (
	alarmRow     = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|")
	alarmHeading = regexp.MustCompile(`(?m)^### ([a-z-]+)$`)
	// commandLine is a call in a block of docs/operate.md.
	commandLine = regexp.MustCompile(`(?m)^ +(strandline .*)$`)
)

// sectionOf is what stands below a heading, up to the next of its level.
func sectionOf(t *testing.T, file, heading string) string {
	t.Helper()
	_, below, found := strings.Cut(string(readFile(t, file)), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	section, _, _ := strings.Cut(below, "\n## ")
	return section
}

func firsts(found [][]string) []string {
	var all []string
	for _, f := range found {
		all = append(all, f[1])
	}
	return all
}

// Whoever is woken looks for the alarm's name.
func TestEveryAlarmOfTheDeploymentHasItsPlaceInTheOperatorsDocument(t *testing.T) {
	deployed := firsts(alarmRow.FindAllStringSubmatch(sectionOf(t, "../../docs/deploy.md", "## Alarms"), -1))
	told := firsts(alarmHeading.FindAllStringSubmatch(sectionOf(t, "../../docs/operate.md", "## Alarms"), -1))
	slices.Sort(deployed)
	slices.Sort(told)
	if len(deployed) < 10 {
		t.Fatalf("docs/deploy.md has %d alarms", len(deployed))
	}
	if d := cmp.Diff(deployed, told); d != "" {
		t.Errorf("docs/deploy.md (-) and docs/operate.md (+):\n%s", d)
	}
}

var checkRow = regexp.MustCompile(`(?m)^\| ([A-Za-z ]+) \| .+ \|$`)

func TestEveryCheckOfDoctorIsInTheOperatorsDocument(t *testing.T) {
	told := firsts(checkRow.FindAllStringSubmatch(sectionOf(t, "../../docs/operate.md", "## What doctor looks at"), -1))
	var checks []string
	for _, c := range checkup.Checks() {
		checks = append(checks, string(c))
	}
	if d := cmp.Diff(append([]string{"check"}, checks...), told); d != "" {
		t.Errorf("doctor (-) and docs/operate.md (+):\n%s", d)
	}
}

// At night a line is copied, not thought about.
func TestEveryCallInTheOperatorsDocumentParses(t *testing.T) {
	lines := firsts(commandLine.FindAllStringSubmatch(string(readFile(t, "../../docs/operate.md")), -1))
	used := map[string]bool{}
	for _, line := range lines {
		for _, words := range callsIn(line) {
			used[parses(t, line, words)] = true
		}
	}
	for _, command := range []string{
		"doctor", "plan", "runs list", "runs show", "approve", "mode", "pause", "resume", "rate set", "explain", "stuck list",
		"parked list", "parked retry", "dlq list", "dlq redrive", "census recount", "holds list",
	} {
		if !used[command] {
			t.Errorf("docs/operate.md never calls strandline %s", command)
		}
	}
}

// A link to a heading that is not there ends at the top of the page.
func TestEveryLinkWithinTheOperatorsDocumentArrives(t *testing.T) {
	text := string(readFile(t, "../../docs/operate.md"))
	for _, to := range firsts(regexp.MustCompile(`\]\(#([a-z-]+)\)`).FindAllStringSubmatch(text, -1)) {
		heading := regexp.MustCompile(`(?mi)^#+ ` + strings.ReplaceAll(to, "-", "[- ]") + `$`)
		if !heading.MatchString(text) {
			t.Errorf("docs/operate.md has no heading for #%s", to)
		}
	}
}
