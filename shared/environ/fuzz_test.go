package environ

import (
	"log/slog"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// every has a field of each kind that the functions' own settings have.
type every struct {
	Table       string        `env:"TABLE,required,notEmpty" expect:"a table's name"`
	Concurrency int           `env:"CONCURRENCY" envDefault:"4" expect:"a whole number"`
	Margin      time.Duration `env:"MARGIN" envDefault:"10s" expect:"a duration such as \"10s\""`
	Guard       bool          `env:"GUARD" expect:"true or false"`
	Level       slog.Level    `env:"LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	Buckets     []string      `env:"BUCKETS" expect:"names with commas between"`
}

// FuzzRead: whatever one variable is called and holds, a variable of ours that
// nothing reads is refused, and so is a value that its field cannot hold, in one
// line that names the variable, or the policy's two that contradict each other;
// what is read is what the variable says.
func FuzzRead(f *testing.F) {
	for _, one := range []struct{ name, value string }{
		{"TABLE", "acme"}, {"CONCURRENCY", "8"}, {"CONCURRENCY", "eight"}, {"CONCURRENCY", "99999999999999999999"}, {"MARGIN", "10s"}, {"MARGIN", "10"},
		{"SAFETY_MARGIN", "10m"}, {"SAFETY_MARGIN", "1s"}, {"TABEL", "acme"}, {"", "x"}, {"TABLE", ""}, {"BUCKETS", "a,b,,c"}, {"BUCKETS", "\n"}, {"CONCURRENCY", "0"},
	} {
		f.Add(one.name, one.value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		if strings.ContainsAny(name, "=\x00\n\r") {
			return // no variable is called so
		}
		variables := map[string]string{"STRANDLINE_TABLE": "ledger", "PATH": value, "STRANDLIN_" + name: value}
		variables["STRANDLINE_"+name] = value
		var into every
		p, err := Read(maps.Clone(variables), &into)
		if err != nil {
			if says := err.Error(); strings.ContainsAny(says, "\n\r") || !strings.Contains(says, name) && !strings.HasPrefix(says, "policy ") || len(says) > 500+10*(len(name)+len(value)) {
				t.Fatalf("%q = %q: %q", name, value, says)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("%q = %q: %v", name, value, err)
		}
		if !isVariable(name) {
			t.Fatalf("%q = %q is read, and there is no such variable", name, value)
		}
		if want, err := saidBy(name, value); err != nil || !reflect.DeepEqual(into, want) {
			t.Fatalf("%q = %q is read as %+v, want %+v, %v", name, value, into, want, err)
		}
	})
}

// isVariable reports whether a field of ours, or of the policy, has it.
func isVariable(name string) bool {
	for _, holder := range []reflect.Type{reflect.TypeFor[every](), reflect.TypeFor[policy.Policy]()} {
		for f := range holder.Fields() {
			if variable, _, _ := strings.Cut(f.Tag.Get("env"), ","); variable == name && name != "" {
				return true
			}
		}
	}
	return false
}

// saidBy is what the standard library reads of one variable beside the table's:
// its own field, and no other.
func saidBy(name, value string) (every, error) {
	said := every{Table: "ledger", Concurrency: 4, Margin: 10 * time.Second}
	var err error
	switch {
	case name == "TABLE":
		said.Table = value
	case value == "": // says nothing
	case name == "CONCURRENCY":
		said.Concurrency, err = strconv.Atoi(value)
	case name == "MARGIN":
		said.Margin, err = time.ParseDuration(value)
	case name == "GUARD":
		said.Guard, err = strconv.ParseBool(value)
	case name == "LEVEL":
		err = said.Level.UnmarshalText([]byte(value))
	case name == "BUCKETS":
		said.Buckets = strings.Split(value, ",")
	}
	return said, err
}
