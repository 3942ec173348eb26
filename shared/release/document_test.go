package release_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// What the manual shows is copied: sources into a deployment, the message into
// somebody's drainer.
func TestWhatTheManualShowsIsRead(t *testing.T) {
	manual, err := os.ReadFile("../../docs/outbox.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(manual), -1) {
		shown = append(shown, block[1])
	}
	if len(shown) != 2 || !strings.HasPrefix(shown[0], "[") {
		t.Fatalf("it shows %d documents: expected the sources and a message", len(shown))
	}
	all, err := source.Parse([]byte(shown[0]))
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.ParseMessage(shown[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := source.ByName(all, m.Source); !ok {
		t.Errorf("the message is of %q, which is none of the sources", m.Source)
	}
	// Each field that is called needed is.
	for _, field := range []string{"schema", "id", "source", "at", "key"} {
		without := regexp.MustCompile(`"`+field+`": ("[^"]*"|\d+),?\s*`).ReplaceAllString(shown[1], "")
		if _, err := release.ParseMessage(without); without == shown[1] || err == nil {
			t.Errorf("without %s it is read", field)
		}
		if !strings.Contains(string(manual), "`"+field+"`") {
			t.Errorf("the manual does not call %s needed", field)
		}
	}
}
