package policy

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestEachVariableSetsItsField(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Policy]()) {
		t.Run(f.Name, func(t *testing.T) {
			want := Default()
			field := reflect.ValueOf(&want).Elem().FieldByName(f.Name)
			text := another(f.Name, field)
			got, err := FromEnv(map[string]string{variableOf(f.Name): text})
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s=%s gives %+v", variableOf(f.Name), text, got)
			}
		})
	}
}

// another changes a field to a valid value that is not its default, and
// returns how the environment says it.
func another(name string, field reflect.Value) string {
	switch {
	case field.Type() == reflect.TypeFor[time.Duration]():
		d := time.Duration(field.Int()) - time.Second // every default is above its floor,
		if d+time.Second == Default().VisibilityTimeout {
			d += 2 * time.Second // but for this one, which stands on it
		}
		if name == "SafetyMargin" {
			d += 2 * time.Second // it stands on MaxClockSkew
		}
		field.SetInt(int64(d))
		return d.String()
	case field.Kind() == reflect.Bool:
		field.SetBool(true)
		return "true"
	default:
		field.SetInt(field.Int() + 1)
		return strconv.FormatInt(field.Int(), 10)
	}
}

func TestNothingSetGivesTheDefaults(t *testing.T) {
	for name, environ := range map[string]map[string]string{
		"no environment":             nil,
		"a variable that is empty":   {"STRANDLINE_SAFETY_MARGIN": ""},
		"variables of a function":    {"STRANDLINE_TABLE": "ledger", "STRANDLINE_QUEUE_URL": "x"},
		"the name without a prefix":  {"SAFETY_MARGIN": "1h"},
		"a variable of another name": {"PATH": "/bin"},
	} {
		got, err := FromEnv(environ)
		if err != nil || got != Default() {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestABadValueGivesOneLineWithTheVariableItsValueAndWhatIsExpected(t *testing.T) {
	for _, c := range []struct{ variable, value, expected string }{
		{"STRANDLINE_SAFETY_MARGIN", "soon", `a duration such as "36h" or "15m"`},
		{"STRANDLINE_SAFETY_MARGIN", "300", `a duration such as "36h" or "15m"`},
		{"STRANDLINE_TOMBSTONE_TTL", "30d", `a duration such as "36h" or "15m"`},
		{"STRANDLINE_ACTIVITY_GRACE", "99999999999h", `a duration such as "36h" or "15m"`},
		{"STRANDLINE_MAX_DELETE_PERCENT", "5%", "a whole number"},
		{"STRANDLINE_MAX_DELETE_COUNT", "1e3", "a whole number"},
		{"STRANDLINE_MAX_ATTEMPTS", "99999999999999999999", "a whole number"},
		{"STRANDLINE_DELETE_NULL_VERSIONS", "yes please", `"true" or "false"`},
	} {
		_, err := FromEnv(map[string]string{c.variable: c.value})
		mustSay(t, err, c.variable, c.value, c.expected)
	}
}

// Clamping would hide a typing error ("6m" for "6h") behind a default nobody
// chose; the value is refused and the process does not start.
func TestAValueBelowItsFloorIsRefusedAndNeverClamped(t *testing.T) {
	for _, c := range []struct{ variable, value, expected string }{
		{"STRANDLINE_SAFETY_MARGIN", "59s", "the floor is 1m0s"},
		{"STRANDLINE_ACTIVITY_GRACE", "59m59s", "the floor is 1h0m0s"},
		{"STRANDLINE_SECOND_GRACE", "0s", "the floor is 1h0m0s"},
		{"STRANDLINE_RELEASE_GRACE", "-15m0s", "the floor is 1m0s"},
		{"STRANDLINE_CLAIM_LEASE", "3m59s", "the floor is 4m0s (2 × WorkerTimeout)"},
		{"STRANDLINE_MAX_ATTEMPTS", "2", "it must be between 3 and 1000"},
		{"STRANDLINE_URL_LIFE", "7h0m0s", "at most UploadDeadline (6h0m0s)"},
	} {
		_, err := FromEnv(map[string]string{c.variable: c.value})
		mustSay(t, err, c.variable, c.value, c.expected)
	}
}

func mustSay(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%v: accepted", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is more than one line", err)
	}
}
