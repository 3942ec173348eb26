package policy_test

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// FuzzFromEnv: whatever three variables of the policy hold, the policy that is
// read is valid, safe, and the same when its settings are read again; or it is
// refused in one line. Nothing is clamped, and no value passes for another.
func FuzzFromEnv(f *testing.F) {
	variables := slices.Sorted(maps.Keys(everySetting()))
	for i, value := range []string{"36h", "15m", "-1", "0", "9223372036854775807", "true", "1e3", "٣", "1h\n", "8760000h1ns", "0x10", " 5m"} {
		f.Add(uint8(i), value, uint8(i+7), "10m", uint8(i+11), "")
	}
	f.Fuzz(func(t *testing.T, a uint8, inA string, b uint8, inB string, c uint8, inC string) {
		environ := map[string]string{}
		for n, value := range map[uint8]string{a: inA, b: inB, c: inC} {
			environ[variables[int(n)%len(variables)]] = value
		}
		p, err := policy.FromEnv(environ)
		if err != nil {
			longest := 0
			for _, value := range environ {
				longest = max(longest, len(value))
			}
			if says := err.Error(); strings.ContainsAny(says, "\n\r") || len(says) > 400+10*longest || p != (policy.Policy{}) {
				t.Fatalf("%v: %q", environ, says)
			}
			return
		}
		if err := p.Validate(); err != nil || !p.Safe() {
			t.Fatalf("%v is read, and is not valid: %v", environ, err)
		}
		wantSaid(t, p, environ)
		again, err := policy.FromEnv(p.Settings())
		if err != nil || again != p {
			t.Fatalf("%v is read as %v, and that as %v: %v", environ, p.Settings(), again.Settings(), err)
		}
	})
}

// wantSaid: each field is what its variable says, as the standard library reads
// it, and the default where none says anything.
func wantSaid(t *testing.T, p policy.Policy, environ map[string]string) {
	t.Helper()
	own, usual := reflect.ValueOf(p), reflect.ValueOf(policy.Default())
	for _, f := range reflect.VisibleFields(own.Type()) {
		got, want := own.FieldByIndex(f.Index).Interface(), usual.FieldByIndex(f.Index).Interface()
		if value := environ[called(f.Name)]; value != "" {
			want = saidBy(value, want)
		}
		if got != want {
			t.Fatalf("%v: %s is %v, want %v", environ, f.Name, got, want)
		}
	}
}

// called is the name of a field's variable: its words, in capitals.
func called(field string) string {
	words := regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`).ReplaceAllString(field, "${1}${3}_${2}${4}")
	return policy.EnvPrefix + strings.ToUpper(words)
}

// saidBy is a value of the kind of like; nil if the text is none.
func saidBy(text string, like any) any {
	var said any
	var err error
	switch like.(type) {
	case time.Duration:
		said, err = time.ParseDuration(text)
	case bool:
		said, err = strconv.ParseBool(text)
	case int:
		said, err = strconv.Atoi(text)
	case int64:
		said, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		return nil
	}
	return said
}

// everySetting has each variable of the policy.
func everySetting() map[string]string {
	return policy.Policy{}.Settings()
}
