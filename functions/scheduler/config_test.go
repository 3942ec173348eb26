package scheduler_test

import (
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/functions/scheduler"
)

func environ(more map[string]string) map[string]string {
	e := map[string]string{
		"PATH":                 "/bin",
		"STRANDLINE_TABLE":     "ledger",
		"STRANDLINE_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/commands",
	}
	maps.Copy(e, more)
	return e
}

func TestConfigTakesDefaultsAndThePolicysVariables(t *testing.T) {
	c, err := scheduler.FromEnv(environ(map[string]string{"STRANDLINE_MAX_DELETE_COUNT": "7", "STRANDLINE_LOG_LEVEL": "warn"}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Table != "ledger" || c.Gate != "main" || c.LogLevel != slog.LevelWarn || c.Policy.MaxDeleteCount != 7 {
		t.Errorf("config is %+v", c)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"STRANDLINE_TABLE", "", "STRANDLINE_TABLE is empty: expected the name of the ledger's table"},
		{"STRANDLINE_QUEUE_URL", "commands", `STRANDLINE_QUEUE_URL is "commands": expected a queue's URL`},
		{"STRANDLINE_LOG_LEVEL", "loud", `STRANDLINE_LOG_LEVEL is "loud": expected debug, info, warn or error`},
		{"STRANDLINE_MAX_PER_PASS", "many", `STRANDLINE_MAX_PER_PASS is "many": expected a whole number`},
		{"STRANDLINE_SAFETY_MARGIN", "1s", "STRANDLINE_SAFETY_MARGIN"},
		{"STRANDLINE_SAFETY_X_MARGIN", "10m", `STRANDLINE_SAFETY_X_MARGIN is "10m": there is no such variable`},
	} {
		_, err := scheduler.FromEnv(environ(map[string]string{c.name: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: error %v, want one line with %s", c.name, c.value, err, c.says)
		}
	}
	if _, err := scheduler.FromEnv(nil); err == nil || !strings.Contains(err.Error(), "STRANDLINE_TABLE is not set") {
		t.Errorf("without any variable: %v", err)
	}
}
