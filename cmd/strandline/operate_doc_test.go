package main

import (
	"path/filepath"
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
	// inlineCall is one in the running text of a document.
	inlineCall = regexp.MustCompile("`(strandline [^`]*)`")
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

// A command that a document names and that is not there costs the night of
// whoever looks for it.
func TestEveryCallInTheTextOfTheDocumentsIsACommand(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		for _, line := range firsts(inlineCall.FindAllStringSubmatch(string(readFile(t, file)), -1)) {
			calls++
			cmd, args, err := dressed().Find(shellWords(line)[1:])
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			unknown := func(word string) bool { return strings.ToUpper(word) != word } // SHELL stands for one
			if err != nil || cmd.HasSubCommands() && slices.ContainsFunc(cmd.Flags().Args(), unknown) {
				t.Errorf("%s names %s: there is no such command (%v)", file, line, err)
			}
		}
	}
	if calls < 30 {
		t.Errorf("found %d calls", calls)
	}
}

// "Unpark" is the protocol's word: whoever is told to do so finds no command of
// that name.
func TestAlarmsAskForCommandsInTheirOwnWords(t *testing.T) {
	for _, file := range []string{"../../docs/deploy.md", "../../docs/operate.md"} {
		section := sectionOf(t, file, "## Alarms")
		if strings.Contains(section, "unpark") || !strings.Contains(section, "strandline parked retry") {
			t.Errorf("%s does not say how a parked upload goes on", file)
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
