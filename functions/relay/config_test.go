package relay_test

import (
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/relay"
)

func environ(more map[string]string) map[string]string {
	e := map[string]string{
		"PATH": "/bin", "STRANDLINE_TABLE": "ledger", "STRANDLINE_RELEASES_DEAD_URL": "https://sqs.example.com/1/dead",
		"STRANDLINE_SOURCES": `[{"name":"orders","bucket":"uploads"}]`,
	}
	maps.Copy(e, more)
	return e
}

func TestConfigTakesSourcesDefaultsAndThePolicysVariables(t *testing.T) {
	c, err := relay.FromEnv(environ(map[string]string{"STRANDLINE_RELEASE_GRACE": "1h", "STRANDLINE_LOG_LEVEL": "debug"}))
	must(t, err)
	if c.Table != "ledger" || c.DeadURL != "https://sqs.example.com/1/dead" || c.Concurrency != 16 || c.DeadlineMargin != 10*time.Second ||
		c.LogLevel != slog.LevelDebug || c.Policy.ReleaseGrace != time.Hour || len(c.Sources) != 1 || c.Sources[0].Name != "orders" {
		t.Fatalf("config is %+v", c)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"STRANDLINE_TABLE", "", "STRANDLINE_TABLE is empty: expected the name of the ledger's table"},
		{"STRANDLINE_SOURCES", "", "STRANDLINE_SOURCES is empty: expected a JSON array of sources"},
		{"STRANDLINE_SOURCES", "[]", `STRANDLINE_SOURCES is "[]": expected at least one source`},
		{"STRANDLINE_SOURCES", `[{"name":"Orders"}]`, `STRANDLINE_SOURCES: source 1 ("Orders"): name: expected`},
		{"STRANDLINE_RELEASES_DEAD_URL", "dead", `STRANDLINE_RELEASES_DEAD_URL is "dead": expected a queue's URL`},
		{"STRANDLINE_CONCURRENCY", "0", "STRANDLINE_CONCURRENCY is 0: expected 1 to 256"},
		{"STRANDLINE_CONCURRENCY", "257", "STRANDLINE_CONCURRENCY is 257: expected 1 to 256"},
		{"STRANDLINE_DEADLINE_MARGIN", "1ms", "STRANDLINE_DEADLINE_MARGIN is 1ms: expected 1s to 1m0s"},
		{"STRANDLINE_LOG_LEVEL", "loud", `STRANDLINE_LOG_LEVEL is "loud": expected debug, info, warn or error`},
		{"STRANDLINE_AUDIT_GROUP", "x", `STRANDLINE_AUDIT_GROUP is "x": there is no such variable`},
	} {
		_, err := relay.FromEnv(environ(map[string]string{c.name: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: error %v, want one line with %q", c.name, c.value, err, c.says)
		}
	}
}
