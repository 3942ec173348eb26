package worker_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/worker"
)

func environ(more map[string]string) map[string]string {
	e := map[string]string{
		"PATH":                       "/bin",
		"STRANDLINE_TABLE":           "ledger",
		"STRANDLINE_QUEUE_URL":       "https://sqs.eu-central-1.amazonaws.com/123456789012/commands",
		"STRANDLINE_DEAD_LETTER_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/dead",
	}
	maps.Copy(e, more)
	return e
}

func TestConfigTakesDefaultsAndThePolicysVariables(t *testing.T) {
	c, err := worker.FromEnv(environ(map[string]string{"STRANDLINE_RELEASE_GRACE": "1h", "STRANDLINE_CONCURRENCY": "8"}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Table != "ledger" || c.Gate != "main" || c.Concurrency != 8 || c.DeadlineMargin != 10*time.Second || c.Policy.ReleaseGrace != time.Hour {
		t.Fatalf("config is %+v", c)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"STRANDLINE_TABLE", "", "STRANDLINE_TABLE is empty"},
		{"STRANDLINE_QUEUE_URL", "commands", `STRANDLINE_QUEUE_URL is "commands": expected a queue's URL`},
		{"STRANDLINE_DEAD_LETTER_URL", "", "STRANDLINE_DEAD_LETTER_URL is empty"},
		{"STRANDLINE_CONCURRENCY", "many", `STRANDLINE_CONCURRENCY is "many": expected a whole number`},
		{"STRANDLINE_CONCURRENCY", "0", "STRANDLINE_CONCURRENCY is 0: expected 1 to 256"},
		{"STRANDLINE_DEADLINE_MARGIN", "soon", `STRANDLINE_DEADLINE_MARGIN is "soon": expected a duration`},
		{"STRANDLINE_DEADLINE_MARGIN", "10m", "STRANDLINE_DEADLINE_MARGIN is 10m0s: expected 2s to 1m0s"},
		{"STRANDLINE_SOURCES", "orders", "STRANDLINE_SOURCES: sources are not a JSON array"},
		{"STRANDLINE_SOURCES", `[{"name":"Orders"}]`, `STRANDLINE_SOURCES: source 1 ("Orders"): name: expected`},
		{"STRANDLINE_LOG_LEVEL", "loud", `STRANDLINE_LOG_LEVEL is "loud": expected debug, info, warn or error`},
		{"STRANDLINE_SECOND_GRACE", "1s", "STRANDLINE_SECOND_GRACE"},
		{"STRANDLINE_SECOND_GRASE", "48h", `STRANDLINE_SECOND_GRASE is "48h": there is no such variable`},
	} {
		_, err := worker.FromEnv(environ(map[string]string{c.name: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: error %v, want one line with %q", c.name, c.value, err, c.says)
		}
	}
}

func TestConfigTakesTheSources(t *testing.T) {
	c, err := worker.FromEnv(environ(map[string]string{"STRANDLINE_SOURCES": `[{"name":"orders","table":"orders",
		"bucket":"uploads","tenant":"acme","paths":{"key":"photo"},"index":{"name":"by-photo","attribute":"photo","holds":"key"}}]`}))
	if err != nil || len(c.Sources) != 1 || c.Sources[0].Index.Name != "by-photo" {
		t.Fatalf("sources are %+v, error %v", c.Sources, err)
	}
}

func TestMissingVariableIsNamed(t *testing.T) {
	for _, name := range []string{"STRANDLINE_TABLE", "STRANDLINE_QUEUE_URL", "STRANDLINE_DEAD_LETTER_URL"} {
		e := environ(nil)
		delete(e, name)
		if _, err := worker.FromEnv(e); err == nil || !strings.Contains(err.Error(), name+" is not set") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
