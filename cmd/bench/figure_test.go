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

// Else a typing error is found after ten minutes of measuring other things.
func TestAWrongFlagIsRefusedBeforeAnythingIsMeasured(t *testing.T) {
	for _, args := range [][]string{
		{"-wrong"}, {"-rows", "many"}, {"-rows", "0"}, {"-rows", "9999", "-short"}, {"-short", "purge"},
		{"reconcile", "-wrong"}, {"reconcile", "here"}, {"reconcile", "-rounds", "0"}, {"reconcile", "-formats", "parquet,orc"}, {"reconcile", "-generate", "orc"},
		{"purge", "-wrong"}, {"plan", "-rounds", "many"}, {"publish", "here"}, {"cost", "-times", "3"}, {"start", "-times", "0"},
		{"plan", "-entries", "0"}, {"publish", "-candidates", "1"}, {"purge", "-uploads", "0"},
	} {
		err := run(t.Context(), args)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: want an error of one line, got %v", args, err)
		}
	}
}

func TestABenchThatMissesABoundSaysWhich(t *testing.T) {
	figures := []figure{{what: "fast", measured: 3, bound: atLeast(2)}, {what: "small", measured: 3, bound: atMost(2)}, {what: "any", measured: 3}}
	if err := missed(figures); err == nil || !strings.Contains(err.Error(), "small") || strings.Contains(err.Error(), "fast") || strings.Contains(err.Error(), "any") {
		t.Errorf("got %v", err)
	}
	if err := missed(figures[:1]); err != nil {
		t.Errorf("got %v", err)
	}
}
