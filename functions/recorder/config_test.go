package recorder_test

import (
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/recorder"
)

func environ(more map[string]string) map[string]string {
	e := map[string]string{"PATH": "/bin", "STRANDLINE_TABLE": "ledger"}
	maps.Copy(e, more)
	return e
}

func TestConfigTakesDefaultsAndThePolicysVariables(t *testing.T) {
	c, err := recorder.FromEnv(environ(map[string]string{
		"STRANDLINE_RELEASE_GRACE": "1h", "STRANDLINE_AUDIT_GROUP": "trail", "STRANDLINE_LOG_LEVEL": "debug",
	}))
	must(t, err)
	if c.Table != "ledger" || c.Concurrency != 16 || c.AuditGroup != "trail" || c.LogLevel != slog.LevelDebug || c.Policy.ReleaseGrace != time.Hour {
		t.Fatalf("config is %+v", c)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"STRANDLINE_TABLE", "", "STRANDLINE_TABLE is empty: expected the name of the ledger's table"},
		{"STRANDLINE_CONCURRENCY", "many", `STRANDLINE_CONCURRENCY is "many": expected a whole number`},
		{"STRANDLINE_CONCURRENCY", "0", "STRANDLINE_CONCURRENCY is 0: expected 1 to 256"},
		{"STRANDLINE_CONCURRENCY", "257", "STRANDLINE_CONCURRENCY is 257: expected 1 to 256"},
		{"STRANDLINE_LOG_LEVEL", "loud", `STRANDLINE_LOG_LEVEL is "loud": expected debug, info, warn or error`},
		{"STRANDLINE_SECOND_GRACE", "1s", "STRANDLINE_SECOND_GRACE"},
		{"STRANDLINE_BUCKETS", "uploads", `STRANDLINE_BUCKETS is "uploads": there is no such variable`},
	} {
		_, err := recorder.FromEnv(environ(map[string]string{c.name: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: error %v, want one line with %q", c.name, c.value, err, c.says)
		}
	}
	e := environ(nil)
	delete(e, "STRANDLINE_TABLE")
	if _, err := recorder.FromEnv(e); err == nil || !strings.Contains(err.Error(), "STRANDLINE_TABLE is not set") {
		t.Errorf("without the table: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
