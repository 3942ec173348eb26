package upload

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDoc = flag.Bool("update-doc", false, "write the state table into docs/protocol.md")

const (
	protocolDoc = "../../docs/protocol.md"
	tableBegin  = "<!-- table: begin -->\n"
	tableEnd    = "<!-- table: end -->"
)

// TestProtocolDocumentShowsTheTable keeps the specification and the code one:
// the document's state table is the code's.
func TestProtocolDocumentShowsTheTable(t *testing.T) {
	raw, err := os.ReadFile(protocolDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), tableBegin)
	if !ok {
		t.Fatalf("%s has no line %q", protocolDoc, tableBegin)
	}
	_, tail, ok := strings.Cut(rest, tableEnd)
	if !ok {
		t.Fatalf("%s has no line %q", protocolDoc, tableEnd)
	}
	want := head + tableBegin + "\n" + documented(protocol) + "\n" + tableEnd + tail
	if *updateDoc {
		if err := os.WriteFile(protocolDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(raw) {
		t.Fatalf("%s does not show the state table of table.go: go test ./shared/upload -run ProtocolDocument -update-doc", protocolDoc)
	}
}

// documented prints the table as Markdown.
func documented(t table) string {
	var b strings.Builder
	b.WriteString("| row | event | from | guards |\n|---|---|---|---|\n")
	for _, r := range t.rows {
		from := make([]string, len(r.from))
		for i, s := range r.from {
			from[i] = s.String()
		}
		guards := make([]string, len(r.guards))
		for i, g := range r.guards {
			guards[i] = g.name
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.name, r.on, strings.Join(from, ", "), strings.Join(guards, "; "))
	}
	return b.String()
}
