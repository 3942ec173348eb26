package installation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shellWord is one of a command's, as a shell takes it.
var shellWord = regexp.MustCompile(`(?:[^\s']|'[^']*')+`)

// canBeGiven looks at a command without giving it: whether its target, folder,
// tests and flags are there.
func canBeGiven(line string, functions map[string]bool) error {
	words := shellWord.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "'", "")
	}
	switch {
	case words[0] == "make":
		return targetsExist(words[1:])
	case len(words) > 2 && words[0] == "go" && words[1] == "run":
		return argumentsAreKnown(words[2], words[3:])
	case len(words) > 2 && words[0] == "go" && words[1] == "test":
		return testsAreMatched(words[2:], functions)
	}
	return fmt.Errorf("that is no command of ours")
}

func targetsExist(words []string) error {
	makefile, err := os.ReadFile(projectRoot + "/Makefile")
	if err != nil {
		return err
	}
	for _, w := range words {
		name, _, variable := strings.Cut(w, "=")
		form := `(?m)^` + regexp.QuoteMeta(name) + `:( |$)`
		if variable {
			form = `(?m)^` + regexp.QuoteMeta(name) + ` *\?=`
		}
		if !regexp.MustCompile(form).Match(makefile) {
			return fmt.Errorf("the Makefile has no %s", name)
		}
	}
	return nil
}

// argumentsAreKnown looks for a subcommand, which is the first word of a line of a
// program's list, and for flags.
func argumentsAreKnown(folder string, words []string) error {
	sources, err := sourcesOf(folder)
	if err != nil {
		return err
	}
	for i, w := range words {
		name, flag := strings.CutPrefix(w, "-")
		name, _, _ = strings.Cut(name, "=")
		known := !flag && i > 0 // a flag's value
		switch {
		case flag:
			known = regexp.MustCompile(`\w\((&[\w.]+, )?"` + regexp.QuoteMeta(name) + `", [^,\n]+, "`).MatchString(sources)
		case i == 0:
			known = strings.Contains(sources, "\t{"+strconv.Quote(name)+", \"")
		}
		if !known {
			return fmt.Errorf("%s knows no %s", folder, w)
		}
	}
	return nil
}

// testsAreMatched expects that -run matches a test of the packages, and that a
// flag which is not go test's own is theirs.
func testsAreMatched(words []string, functions map[string]bool) error {
	var folders, names []string
	run := ""
	for i, w := range words {
		name, flag := strings.CutPrefix(w, "-")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case flag && name == "run" && i+1 < len(words):
			run = words[i+1]
		case flag && !slices.Contains([]string{"count", "v", "timeout"}, name):
			names = append(names, name)
		case strings.HasPrefix(w, "./"):
			folders = append(folders, w)
		}
	}
	pattern, err := regexp.Compile(run)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		under, deep := strings.CutSuffix(strings.TrimPrefix(folder, "./"), "/...")
		matched := false
		for name := range functions {
			in, test, _ := strings.Cut(name, " ")
			matched = matched || (in == under || deep && strings.HasPrefix(in, under+"/")) && strings.HasPrefix(test, "Test") && pattern.MatchString(test)
		}
		if !matched {
			return fmt.Errorf("%s has no test %s", folder, run)
		}
		if err := argumentsAreKnown(folder, flagsOf(names)); err != nil {
			return err
		}
	}
	if len(folders) == 0 {
		return fmt.Errorf("no package is named")
	}
	return nil
}

func flagsOf(names []string) (flags []string) {
	for _, name := range names {
		flags = append(flags, "-"+name)
	}
	return flags
}

// sourcesOf is all that a folder's Go files say.
func sourcesOf(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(projectRoot, strings.TrimSuffix(folder, "/..."), "*.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no sources", folder)
	}
	var all strings.Builder
	for _, file := range files {
		raw, failed := os.ReadFile(file)
		if failed != nil {
			return "", failed
		}
		all.Write(raw)
	}
	return all.String(), err
}
