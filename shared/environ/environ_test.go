package environ

import (
	"strings"
	"testing"
	"time"
)

type settings struct {
	Table string        `env:"TABLE,required,notEmpty" expect:"a table's name"`
	Wait  time.Duration `env:"WAIT" envDefault:"3s" expect:"a duration such as \"3s\""`
	None  string        `env:"-"`
}

func TestSettingsAndPolicyAreRead(t *testing.T) {
	var s settings
	p, err := Read(map[string]string{
		"PATH": "/bin", "STRANDLINE_TABLE": "ledger", "STRANDLINE_RELEASE_GRACE": "1h",
	}, &s)
	if err != nil || s != (settings{Table: "ledger", Wait: 3 * time.Second}) || p.ReleaseGrace != time.Hour {
		t.Errorf("read %+v, release grace %v, error %v", s, p.ReleaseGrace, err)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		environ map[string]string
		want    string
	}{
		"not set":       {nil, "STRANDLINE_TABLE is not set: expected a table's name"},
		"empty":         {map[string]string{"STRANDLINE_TABLE": ""}, "STRANDLINE_TABLE is empty: expected a table's name"},
		"not a value":   {map[string]string{"STRANDLINE_TABLE": "t", "STRANDLINE_WAIT": "soon"}, `STRANDLINE_WAIT is "soon": expected a duration such as "3s"`},
		"mistyped":      {map[string]string{"STRANDLINE_TABLE": "t", "STRANDLINE_WIAT": "3s"}, `STRANDLINE_WIAT is "3s": there is no such variable`},
		"of policy":     {map[string]string{"STRANDLINE_TABLE": "t", "STRANDLINE_MAX_ATTEMPTS": "x"}, `STRANDLINE_MAX_ATTEMPTS is "x": expected a whole number`},
		"under floor":   {map[string]string{"STRANDLINE_TABLE": "t", "STRANDLINE_SECOND_GRACE": "1s"}, "1s"},
		"field ignored": {map[string]string{"STRANDLINE_TABLE": "t", "STRANDLINE_-": "x"}, "no such variable"},
	} {
		var s settings
		_, err := Read(c.environ, &s)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %s", name, err, c.want)
		}
	}
}
