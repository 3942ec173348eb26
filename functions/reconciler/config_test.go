package reconciler_test

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/functions/reconciler"
)

func environ(more map[string]string) map[string]string {
	e := map[string]string{
		"PATH":                        "/bin",
		"STRANDLINE_TABLE":            "ledger",
		"STRANDLINE_INVENTORY_BUCKET": "inventories",
		"STRANDLINE_SOURCE_BUCKETS":   "uploads,media",
	}
	maps.Copy(e, more)
	return e
}

func TestConfigTakesDefaultsAndThePolicysVariables(t *testing.T) {
	c, err := reconciler.FromEnv(environ(map[string]string{
		"STRANDLINE_ORPHAN_GRACE": "240h", "STRANDLINE_LOG_LEVEL": "warn", "STRANDLINE_INVENTORY_PREFIX": "lists",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if c.Table != "ledger" || !slices.Equal(c.SourceBuckets, []string{"uploads", "media"}) || c.InventoryPrefix != "lists" ||
		c.TempDir != "/tmp" || c.Segments != 8 || c.LogLevel != slog.LevelWarn || c.Policy.OrphanGrace.Hours() != 240 {
		t.Errorf("config is %+v", c)
	}
}

func TestWrongVariableIsNamedInOneLine(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"STRANDLINE_TABLE", "", "STRANDLINE_TABLE is empty: expected the name of the ledger's table"},
		{"STRANDLINE_INVENTORY_BUCKET", "", "STRANDLINE_INVENTORY_BUCKET is empty"},
		{"STRANDLINE_SOURCE_BUCKETS", "uploads,", `STRANDLINE_SOURCE_BUCKETS is "uploads,": expected the names`},
		{"STRANDLINE_SOURCE_BUCKETS", "s3://uploads", "expected the names"},
		{"STRANDLINE_SEGMENTS", "0", "STRANDLINE_SEGMENTS is 0: expected 1 to 256"},
		{"STRANDLINE_THREADS", "-1", "STRANDLINE_THREADS is -1"},
		{"STRANDLINE_INVENTORY_CONFIG", "a/b", `STRANDLINE_INVENTORY_CONFIG is "a/b"`},
		{"STRANDLINE_ORPHAN_GRACE", "1h", "STRANDLINE_ORPHAN_GRACE"},
		{"STRANDLINE_ORPHANS_GRACE", "240h", "there is no such variable"},
	} {
		_, err := reconciler.FromEnv(environ(map[string]string{c.name: c.value}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: error %v, want one line with %s", c.name, c.value, err, c.says)
		}
	}
}
