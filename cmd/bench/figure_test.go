package main

import (
	"context"
	"strings"
	"testing"
)

func TestAFigureSaysWhetherItReachesItsBound(t *testing.T) {
	for _, c := range []struct {
		name string
		of   figure
		want string
	}{
		{"at most, below", figure{measured: 1, bound: atMost(2)}, "ok"},
		{"at most, just", figure{measured: 2, bound: atMost(2)}, "ok"},
		{"at most, above", figure{measured: 3, bound: atMost(2)}, "misses"},
		{"at least, below", figure{measured: 1, bound: atLeast(2)}, "misses"},
		{"at least, just", figure{measured: 2, bound: atLeast(2)}, "ok"},
		{"ratio, above", figure{measured: 3, baseline: 2, bound: ratioAtMost(1.3)}, "misses"},
		{"ratio, enough", figure{measured: 9, baseline: 3, bound: ratioAtLeast(3)}, "ok"},
		{"no bound", figure{measured: 9}, ""},
	} {
		if got := c.of.verdict(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	var out strings.Builder
	printTo(&out, "purge", figure{"2,000 uploads", 2.6, "s", 2, ratioAtMost(1.4)})
	for _, want := range []string{"purge", "2,000 uploads", "2.6 s", "2 s", "1.30", "<= 1.4 x", "ok"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %s", want, out.String())
		}
	}
}

func TestWhatIsNotCalledAnythingIsRefused(t *testing.T) {
	if err := run(context.Background(), []string{"nothing"}); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("got %v", err)
	}
}

func TestFlagsWithoutANameAreOfTheComparisonButShort(t *testing.T) {
	args := []string{"-rows", "20000", "-short"}
	if got := own("reconcile", args); len(got) != 3 {
		t.Errorf("reconcile gets %v", got)
	}
	if got := own("purge", args); len(got) != 1 || got[0] != shortFlag {
		t.Errorf("purge gets %v", got)
	}
	if got := own("purge", args[:2]); got != nil {
		t.Errorf("purge gets %v", got)
	}
}
