package policy

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The operator's table is the code's: a default or a floor that changes in one
// of them only turns this red.
func TestTheDocumentedTableIsTheCode(t *testing.T) {
	data, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| (\\w+) \\| `(\\w+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(data), -1)
	fields := reflect.VisibleFields(reflect.TypeFor[Policy]())
	if len(rows) != len(fields) {
		t.Fatalf("%d rows for %d fields", len(rows), len(fields))
	}
	for i, f := range fields {
		got := rows[i][1:5]
		value := reflect.ValueOf(Default()).FieldByName(f.Name)
		want := []string{f.Name, variableOf(f.Name), written(value), writtenFloor(f.Name)}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("row %d says %q, the code %q", i+1, got, want)
		}
		if len(strings.TrimSpace(rows[i][5])) < 10 {
			t.Errorf("%s: no reason", f.Name)
		}
	}
}

// written is a value without the units that are zero: 24h, not 24h0m0s.
func written(v reflect.Value) string {
	d, ok := v.Interface().(time.Duration)
	if !ok {
		return fmt.Sprint(v.Interface())
	}
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.Contains(text, "h") {
		text = strings.TrimSuffix(text, "0m")
	}
	if text == "" || text[len(text)-1] >= '0' && text[len(text)-1] <= '9' {
		return d.String()
	}
	return text
}

func writtenFloor(name string) string {
	for _, f := range Default().floors() {
		switch {
		case f.name != name:
		case f.says != "":
			return f.says
		case f.least == time.Nanosecond:
			return "> 0"
		default:
			return written(reflect.ValueOf(f.least))
		}
	}
	for _, c := range Default().counts() {
		if c.name == name && c.most == 1<<50 {
			return fmt.Sprintf("%d to 2^50", c.least)
		}
		if c.name == name {
			return fmt.Sprintf("%d to %d", c.least, c.most)
		}
	}
	return "free"
}
