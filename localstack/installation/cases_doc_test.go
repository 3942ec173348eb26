package installation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	projectRoot = "../.."
	casesDoc    = projectRoot + "/docs/cases.md"
)

// namedTest is a test as the document names it: folder, function, subtest.
var namedTest = regexp.MustCompile("`([a-z0-9/-]+) (Test[A-Za-z0-9]+)(?:/([^`]+))?`")

// A document that names tests nobody has is a promise without a test.
func TestEveryTestThatTheCasesNameExists(t *testing.T) {
	doc := readCases(t)
	named := wantNamedTests(t, doc)
	rows := 0
	for line := range strings.Lines(doc) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| report |") {
			continue
		}
		if rows++; strings.Count(line, "|") != 5 || !namedTest.MatchString(line) {
			t.Errorf("a row without a test, or not of four columns: %s", line)
		}
	}
	if named < rows || rows == 0 {
		t.Errorf("%d tests are named in %d rows", named, rows)
	}
}

// wantNamedTests expects that every test which the document names exists, and
// counts them.
func wantNamedTests(t *testing.T, doc string) int {
	t.Helper()
	functions, texts := declaredTests(t)
	named := namedTest.FindAllStringSubmatch(doc, -1)
	for _, n := range named {
		if !functions[n[1]+" "+n[2]] {
			t.Errorf("there is no %s in %s", n[2], n[1])
		}
		if n[3] != "" && !texts[n[3]] {
			t.Errorf("%s %s has no case %q", n[1], n[2], n[3])
		}
	}
	return len(named)
}

func TestEveryPublicReportIsListedWithItsTest(t *testing.T) {
	doc := readCases(t)
	for _, r := range publicReports() {
		for _, report := range r.reports {
			if !rowNames(doc, report, r.here) {
				t.Errorf("no row of %s is about %s and names %q", casesDoc, report, r.here)
			}
		}
	}
}

func rowNames(doc, report, test string) bool {
	for line := range strings.Lines(doc) {
		if strings.HasPrefix(line, "| ") && strings.Contains(line, report) && strings.Contains(line, "/"+test+"`") {
			return true
		}
	}
	return false
}

func readCases(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(casesDoc)
	must(t, err)
	return string(raw)
}

// declaredTests returns the tests of the project, by folder and name, and the
// texts in its sources, of which the names of cases are some.
func declaredTests(t *testing.T) (functions, texts map[string]bool) {
	t.Helper()
	functions, texts = map[string]bool{}, map[string]bool{}
	must(t, filepath.WalkDir(projectRoot, func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && path != projectRoot
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(projectRoot, filepath.Dir(path))
		if err != nil {
			return err
		}
		collect(file, filepath.ToSlash(folder), strings.HasSuffix(path, "_test.go"), functions, texts)
		return nil
	}))
	return functions, texts
}

func collect(file *ast.File, folder string, test bool, functions, texts map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if test && n.Recv == nil {
				functions[folder+" "+n.Name.Name] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				texts[text] = true
			}
		}
		return true
	})
}
