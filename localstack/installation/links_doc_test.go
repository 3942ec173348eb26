package installation_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// A page that was renamed or taken away leaves links behind that nobody sees.
func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	pages := 0
	must(t, filepath.WalkDir(projectRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != projectRoot && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "cdk.out"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		pages++
		return wantLinks(t, path)
	}))
	if pages < 20 {
		t.Errorf("%d pages were looked at", pages)
	}
}

func wantLinks(t *testing.T, page string) error {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	for _, found := range link.FindAllStringSubmatch(string(text), -1) {
		name, heading, _ := strings.Cut(found[1], "#")
		if strings.Contains(name, ":") {
			continue // somebody else's
		}
		target := page
		if name != "" {
			target = filepath.Join(filepath.Dir(page), filepath.FromSlash(name))
		}
		if _, err := os.Stat(target); err != nil {
			t.Errorf("%s: %s is not there", page, found[1])
			continue
		}
		if heading != "" && filepath.Ext(target) == ".md" && !hasHeading(t, target, heading) {
			t.Errorf("%s: %s has no such heading", page, found[1])
		}
	}
	return nil
}

// hasHeading knows headings by the names that GitHub gives them.
func hasHeading(t *testing.T, page, heading string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	fenced := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		title := strings.TrimLeft(line, "#")
		if fenced || title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		title = strings.ToLower(strings.TrimSpace(linked.ReplaceAllString(title, "$1")))
		if strings.ReplaceAll(dropped.ReplaceAllString(title, ""), " ", "-") == heading {
			return true
		}
	}
	return false
}
