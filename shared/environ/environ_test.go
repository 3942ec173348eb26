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

func TestOnlyAnHTTPURLIsTakenForOne(t *testing.T) {
	for value, ok := range map[string]bool{
		"https://sqs.eu-central-1.amazonaws.com/123456789012/commands": true,
		"http://127.0.0.1:4566/000000000000/commands":                  true,
		"commands": false, "": false, "https://": false, "httpx://host/a": false, "ftp://host/a": false, "http://%zz": false,
	} {
		err := CheckURL("QUEUE_URL", value, "a queue's URL")
		if (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
		if want := "STRANDLINE_QUEUE_URL is \"" + value + "\": expected a queue's URL"; err != nil && err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
