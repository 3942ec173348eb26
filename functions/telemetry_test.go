package functions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// parsed are the sources of some packages, without tests.
func parsed(t *testing.T, dirs ...string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatal("there are no sources")
	}
	return files
}

// each calls do for every node of a kind.
func each[T ast.Node](files []*ast.File, do func(T)) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if found, ok := n.(T); ok {
				do(found)
			}
			return true
		})
	}
}

// text is a string literal's; "" for anything else.
func text(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	value, _ := strconv.Unquote(literal.Value)
	return value
}

// A reason that is not in the list is counted as "other", and nobody sees which;
// one that is in the list and nowhere else is a row of the document that says
// nothing.
func TestTheReasonsAreThoseOfTheSources(t *testing.T) {
	got := map[telemetry.Reason]bool{telemetry.Other: true}
	each(parsed(t, "../shared/cleanup", "../shared/confirm", "../shared/release"), func(v *ast.ValueSpec) {
		for i, name := range v.Names {
			if strings.HasPrefix(name.Name, "Skip") && i < len(v.Values) {
				got[telemetry.Reason(text(v.Values[i]))] = true
			}
		}
	})
	each(parsed(t, "../shared/upload"), func(c *ast.CompositeLit) {
		skips, reason := false, ""
		for _, e := range c.Elts {
			field, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return
			}
			name, _ := field.Key.(*ast.Ident)
			value, _ := field.Value.(*ast.Ident)
			switch {
			case name == nil:
			case name.Name == "Reason":
				reason = text(field.Value)
			case value != nil && (name.Name == "Action" && value.Name == "Skip" || name.Name == "Verdict" && value.Name == "Drop"):
				skips = true
			}
		}
		if skips && reason != "" {
			got[telemetry.Reason(reason)] = true
		}
	})
	for _, r := range telemetry.Reasons() {
		if !got[r] {
			t.Errorf("nothing is skipped for the reason %q", r)
		}
		delete(got, r)
	}
	for r := range got {
		t.Errorf("the reason %q is not in telemetry.Reasons", r)
	}
}

// loggers are the methods of a *slog.Logger with the place of their first field.
var loggers = map[string]int{
	"Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "DebugContext": 2, "InfoContext": 2, "WarnContext": 2, "ErrorContext": 2,
	"Log": 3, "LogAttrs": 3, "With": 0,
}

// Whatever a function may log, on a way that no test takes either, has only
// fields of the closed list, by names that can be read in the source.
func TestEveryLogCallHasFieldsOfTheListOnly(t *testing.T) {
	var known []string
	for _, f := range telemetry.Fields() {
		known = append(known, f.Name)
	}
	found := 0
	check := func(name string) {
		if found++; !slices.Contains(known, name) {
			t.Errorf("a log line has the field %q: it is not in telemetry.Fields, or no literal", name)
		}
	}
	each(parsed(t, "scheduler", "worker", "reconciler", "recorder", "relay", "../shared"), func(c *ast.CallExpr) {
		method, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if of, ok := method.X.(*ast.Ident); ok && of.Name == "slog" {
			if slices.Contains([]string{"String", "Int", "Int64", "Uint64", "Float64", "Bool", "Duration", "Time", "Any", "Group"}, method.Sel.Name) {
				check(text(c.Args[0]))
			}
			return
		}
		if first, ok := loggers[method.Sel.Name]; ok && isLogger(method.X) {
			checkPairs(c.Args[min(first, len(c.Args)):], c.Ellipsis.IsValid(), check)
		}
	})
	if found < 40 {
		t.Errorf("only %d fields were found in all sources", found)
	}
}

// isLogger goes by the name: w.Log, x.log(), p.runner.Log, log.
func isLogger(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(x.Name, "log")
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "log")
	case *ast.CallExpr:
		return isLogger(x.Fun)
	}
	return false
}

// checkPairs looks at "name", value, …; a value of slog's own has its name in it.
func checkPairs(args []ast.Expr, spread bool, check func(string)) {
	if spread { // append(fields, "name", value)...: of fields, each has been seen where it was made
		if call, ok := args[len(args)-1].(*ast.CallExpr); ok && len(call.Args) > 0 {
			checkPairs(call.Args[1:], false, check)
		}
		return
	}
	for i := 0; i < len(args); i++ {
		if _, made := args[i].(*ast.CallExpr); made {
			continue
		}
		check(text(args[i]))
		i++
	}
}
