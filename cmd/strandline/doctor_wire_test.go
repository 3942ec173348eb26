package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
)

// TestDoctorOnAnInstallationWithoutFunctionsSaysSo: what localstack creates is
// table, queues and buckets; no function, no schedule, no census.
func TestDoctorOnAnInstallationWithoutFunctionsSaysSo(t *testing.T) {
	onWire(t)
	cfg := localstacktest.Config(t)
	in, made := created(t, cfg, "command-doctor")
	args := []string{
		"doctor", "--table", in.Ledger.Name, "--bucket", in.Buckets[0].Name + "/up/",
		"--queue-url", made.PurgeURL, "--dead-letter-url", made.DeadLetterURL,
	}
	got := runLine(t.Context(), args...)
	if got.code != exitFindings || got.errs != "" {
		t.Fatalf("exit %d, says %q\n%s", got.code, got.errs, got.out)
	}
	got = runLine(t.Context(), append(args, "--json")...)
	var report checkup.Report
	must(t, json.Unmarshal([]byte(got.out), &report))
	wrong := map[checkup.Check]bool{}
	for _, r := range report.Checks {
		if r.Finding() {
			wrong[r.Check] = true
		}
	}
	for _, c := range checkup.Checks() {
		expected := c == checkup.CheckFunctions || c == checkup.CheckPolicy || c == checkup.CheckSchedules ||
			c == checkup.CheckCensus || c == checkup.CheckRights
		if wrong[c] != expected {
			t.Errorf("%s: findings %v, expected %v\n%s", c, wrong[c], expected, got.out)
		}
	}
}

func TestDoctorSaysInOneLineWhatItIsNotTold(t *testing.T) {
	onWire(t)
	for says, args := range map[string][]string{
		"--prefix is not given":    {"--table", "mine"},
		"--table is not given":     {"--table", ""},
		"unknown flag: --fix":      {"--fix"},
		"doctor takes no argument": {"twice"},
	} {
		got := runLine(t.Context(), append([]string{"doctor"}, args...)...)
		if got.code != exitFailed || strings.Count(got.errs, "\n") != 1 || !strings.Contains(got.errs, says) {
			t.Errorf("doctor %v: exit %d, expected %q, got %q", args, got.code, says, got.errs)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runLine(ctx, "doctor", "--table", "x-ledger"); got.code != exitInterrupted || got.out != "" {
		t.Errorf("interrupted: exit %d, %q", got.code, got.out)
	}
}
