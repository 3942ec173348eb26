//go:build infra

package strandline

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// rowsUnder are the cells of the first table below a heading of docs/deploy.md,
// without its head and without the marks of code.
func rowsUnder(t *testing.T, heading string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/deploy.md has no heading %q", heading)
	}
	var rows [][]string
	for line := range strings.Lines(below) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "`", "")
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("docs/deploy.md has no table under %q", heading)
	}
	return rows[2:]
}

// hash is what the CDK adds to a logical id.
var hash = regexp.MustCompile(`[0-9A-F]{8}$`)

// flat writes a value of a template as text: ${StrandlineLedger.Arn}/index/due.
func flat(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return "${" + hash.ReplaceAllString(ref, "") + "}"
		}
		if at, ok := v["Fn::GetAtt"].([]any); ok {
			return "${" + hash.ReplaceAllString(at[0].(string), "") + "." + at[1].(string) + "}"
		}
		if join, ok := v["Fn::Join"].([]any); ok {
			var all strings.Builder
			for _, part := range join[1].([]any) {
				all.WriteString(flat(part))
			}
			return all.String()
		}
	}
	return "?"
}

// list is a value that a template writes alone where there is only one.
func list(value any) []any {
	if all, ok := value.([]any); ok {
		return all
	}
	return []any{value}
}
