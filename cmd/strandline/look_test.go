package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command is in one of these lists: a new one has to say which it is.
var (
	// changing commands ask, or take --yes.
	changing = []string{
		"holds keep", "holds approve", "holds restore", "mode", "resume", "rate set",
		"run", "approve", "census recount", "parked retry", "dlq redrive", "dlq discard",
	}
	// stoppingOnly change something and never ask: to stop must not wait.
	stoppingOnly = []string{"pause"}
	// reading commands change nothing in an installation.
	reading = []string{
		"reconcile", "inventory write", "holds list", "holds show", "rate show", "demo", "version",
		"plan", "runs list", "runs show", "census show", "explain", "stuck list", "parked list",
		"dlq list", "dlq show", "doctor", "audit",
		"completion bash", "completion fish", "completion powershell", "completion zsh",
	}
	// withoutJSON print no results that a program reads.
	withoutJSON = []string{"completion bash", "completion fish", "completion powershell", "completion zsh"}
	// nowhere need no installation, so no flags that say where one is.
	nowhere = []string{
		"reconcile", "inventory write", "demo", "version",
		"completion bash", "completion fish", "completion powershell", "completion zsh",
	}
)

// dressed is the whole tree as it runs.
func dressed() *cobra.Command {
	root := newRoot()
	root.SetOut(io.Discard)
	dress(root)
	return root
}

// leaves are the commands that do something, by their words after "strandline".
func leaves(root *cobra.Command) map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() && cmd.Name() != "help" {
			all[strings.TrimPrefix(cmd.CommandPath(), "strandline ")] = cmd
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return all
}

func TestEveryCommandIsExplainedTheSameWay(t *testing.T) {
	for path, cmd := range leaves(dressed()) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") || len(cmd.Short) > 90 {
			t.Errorf("%s: its short help is %q: expected a line without a full stop", path, cmd.Short)
		}
		if cmd.Long == "" || cmd.Long == cmd.Short {
			t.Errorf("%s has no long help", path)
		}
		for _, line := range strings.Split(cmd.Long, "\n") {
			if len(line) > 100 {
				t.Errorf("%s: a line of its help has %d characters: %s", path, len(line), line)
			}
		}
		if n := len(examplesOf(cmd)); n < 2 {
			t.Errorf("%s has %d examples: expected two or more", path, n)
		}
		if !slices.Contains(withoutJSON, path) && cmd.Flag("json") == nil {
			t.Errorf("%s has no --json", path)
		}
		where := []string{"profile", "region", "endpoint", "table", "queue-url"}
		switch {
		case path == "reconcile", path == "inventory write": // they may need a bucket
			where = where[:3]
		case slices.Contains(nowhere, path):
			where = nil
		}
		for _, flag := range where {
			if cmd.Flag(flag) == nil {
				t.Errorf("%s has no --%s", path, flag)
			}
		}
	}
}

// Without the lists a new command that destroys something could forget to ask.
func TestEveryCommandThatChangesSomethingSaysWhoAndCanBeAnsweredByAFlag(t *testing.T) {
	found := leaves(dressed())
	lists := slices.Concat(changing, stoppingOnly, reading)
	for path, cmd := range found {
		changes := slices.Contains(changing, path)
		if n := len(slices.DeleteFunc(slices.Clone(lists), func(p string) bool { return p != path })); n != 1 {
			t.Errorf("%s is in %d of the lists above: expected one", path, n)
		}
		if yes := cmd.Flag("yes") != nil; yes != changes {
			t.Errorf("%s has --yes: %v; it changes something that is asked about: %v", path, yes, changes)
		}
		if who := cmd.Flag("who") != nil; who != (changes || slices.Contains(stoppingOnly, path)) {
			t.Errorf("%s has --who: %v", path, who)
		}
	}
	for _, path := range slices.Concat(lists, withoutJSON, nowhere) {
		if found[path] == nil {
			t.Errorf("there is no command %s", path)
		}
	}
}

// In a list of twenty a new operator finds nothing.
func TestEveryCommandHasItsPlaceInTheHelp(t *testing.T) {
	root := dressed()
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
	}
	got := runLine(t.Context())
	at := 0
	for _, g := range groups {
		i := strings.Index(got.out, g.title+"\n")
		if i < at {
			t.Errorf("%q is not where it should be in\n%s", g.title, got.out)
		}
		at = i
		for _, name := range g.commands {
			if cmd, _, err := root.Find([]string{name}); err != nil || cmd.Name() != name {
				t.Errorf("there is no command %s: %v", name, err)
			}
		}
	}
}

func TestTheHelpOfEveryCommandEndsWithItsExitCodes(t *testing.T) {
	for path, cmd := range leaves(dressed()) {
		got := runLine(t.Context(), append(strings.Fields(path), "--help")...)
		_, table, has := strings.Cut(got.out, "\nExit codes:\n")
		if got.code != exitOK || !has {
			t.Errorf("%s --help: exit %d, with a table: %v", path, got.code, has)
			continue
		}
		for _, code := range []string{"  0    done\n", "  2    ", "  130  interrupted\n"} {
			if !strings.Contains(table, code) {
				t.Errorf("%s: its table has no %q:\n%s", path, code, table)
			}
		}
		if one := strings.Contains(table, "\n  1    "); one != (cmd.Annotations[findingsMean] != "") {
			t.Errorf("%s: its table has exit code 1: %v", path, one)
		}
		if strings.Contains(cmd.Long, "Exit code 1") || strings.Contains(cmd.Long, "Exit codes") {
			t.Errorf("%s: its help tells the exit codes twice", path)
		}
	}
}

// An example that does not parse is worse than none: it is the first thing that
// is copied.
func TestEveryExampleParses(t *testing.T) {
	for path, cmd := range leaves(dressed()) {
		for _, example := range examplesOf(cmd) {
			own := false
			for _, words := range callsIn(example) {
				named := parses(t, example, words)
				own = own || named == path
			}
			if !own {
				t.Errorf("%s: none of %q is a call of it", path, example)
			}
		}
	}
}

// parses parses a call of the command in a tree of its own, and returns which
// command it is.
func parses(t *testing.T, example string, words []string) string {
	t.Helper()
	cmd, args, err := dressed().Find(words)
	if err != nil {
		t.Errorf("%q: %v", example, err)
		return ""
	}
	if err := cmd.ParseFlags(args); err != nil {
		t.Errorf("%q: %v", example, err)
		return ""
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Errorf("%q: %v", example, err)
	}
	if err := cmd.ValidateRequiredFlags(); err != nil {
		t.Errorf("%q: %v", example, err)
	}
	return strings.TrimPrefix(cmd.CommandPath(), "strandline ")
}

// examplesOf are the lines of a command's examples; a backslash at its end
// makes one of two.
func examplesOf(cmd *cobra.Command) []string {
	var examples []string
	for _, line := range strings.Split(strings.ReplaceAll(cmd.Example, "\\\n", " "), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			examples = append(examples, line)
		}
	}
	return examples
}

// endsCall is a word after which a shell's line goes on with something else.
var endsCall = regexp.MustCompile(`^(2?>.*|<.*|&&|;)$`)

// callsIn are the words after each "strandline" of a shell's line. What xargs
// would add is added.
func callsIn(example string) [][]string {
	var calls [][]string
	for _, part := range splitPipes(example) {
		words := shellWords(part)
		at := slices.Index(words, "strandline")
		if at < 0 {
			continue
		}
		call := words[at+1:]
		if i := slices.IndexFunc(call, endsCall.MatchString); i >= 0 {
			call = call[:i]
		}
		if slices.Contains(words[:at], "xargs") {
			call = append(slices.Clone(call), "something")
		}
		calls = append(calls, call)
	}
	return calls
}

// splitPipes splits at pipes that no quotes hold.
func splitPipes(line string) []string {
	return split(line, func(r rune) bool { return r == '|' })
}

// shellWords splits at blanks, and takes the quotes away.
func shellWords(line string) []string {
	var words []string
	for _, word := range split(line, func(r rune) bool { return r == ' ' }) {
		if word != "" {
			words = append(words, strings.Trim(word, `"'`))
		}
	}
	return words
}

func split(line string, at func(rune) bool) []string {
	var parts []string
	var part bytes.Buffer
	quote := rune(0)
	for _, r := range line {
		switch {
		case quote == 0 && at(r):
			parts = append(parts, part.String())
			part.Reset()
			continue
		case quote == r:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		}
		part.WriteRune(r)
	}
	return append(parts, part.String())
}

func TestCompletionKnowsCommandsFlagsAndModes(t *testing.T) {
	for _, c := range []struct {
		typed []string
		want  string
	}{
		{[]string{"pa"}, "pause\t"},
		{[]string{"mode", ""}, "report-only\n"},
		{[]string{"mode", "del"}, "delete\n"},
		{[]string{"rate", ""}, "set\t"},
		{[]string{"resume", "--ye"}, "--yes\t"},
	} {
		got := runLine(t.Context(), append([]string{"__complete"}, c.typed...)...)
		if got.code != exitOK || !strings.Contains(got.out, c.want) {
			t.Errorf("%q: exit %d, expected %q, got %q %q", c.typed, got.code, c.want, got.out, got.errs)
		}
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		if got := runLine(t.Context(), "completion", shell); got.code != exitOK || !strings.Contains(got.out, "strandline") {
			t.Errorf("%s: exit %d, %d bytes", shell, got.code, len(got.out))
		}
	}
}
