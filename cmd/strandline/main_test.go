package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// ran is what a command line printed and how it ended.
type ran struct {
	code      int
	out, errs string
}

func runLine(ctx context.Context, args ...string) ran {
	var out, errs bytes.Buffer
	code := run(ctx, args, &out, &errs)
	return ran{code, out.String(), errs.String()}
}

func TestWrongUsageIsOneLineAndExitsWithTwo(t *testing.T) {
	for _, args := range [][]string{
		{"demmo"},
		{"demo", "--in-memmory"},
		{"demo", "now"},
		{"demo", "--uploads", "few"},
		{"demo", "--uploads", "3"},
		{"demo", "--uploads", "2000000000"},
		{"version", "please"},
		{"reconcile", "here"},
		{"inventory", "read"},
		{"inventory", "write"},
		{"inventory", "write", "--bucket", "b", "--out", "o", "--format", "xml"},
		{"holds", "liste"},
		{"holds", "list"},
		{"holds", "list", "--table", "t"},
		{"holds", "list", "--table", "t", "--bucket", "b", "--state", "lost"},
		{"holds", "show"},
		{"holds", "approve", "--table", "t", "--bucket", "b"},
		{"holds", "keep", "12ab", "--table", "t", "--bucket", "b", "--who", ""},
		{"holds", "approve", "12ab", "--table", "t", "--bucket", "b", "--json"},
	} {
		got := runLine(t.Context(), args...)
		if got.code != exitFailed {
			t.Errorf("%v exits with %d, expected %d", args, got.code, exitFailed)
		}
		if strings.Count(got.errs, "\n") != 1 || !strings.HasPrefix(got.errs, "strandline: ") {
			t.Errorf("%v says %q, expected one line that begins with strandline:", args, got.errs)
		}
	}
}

func TestVersionAndHelpExitWithZero(t *testing.T) {
	for _, args := range [][]string{
		{"version"}, {"--version"}, {"--help"}, {"demo", "--help"}, {"completion", "bash"}, {},
		{"reconcile", "--help"}, {"inventory"}, {"inventory", "write", "--help"}, {"holds"}, {"holds", "approve", "--help"},
	} {
		got := runLine(t.Context(), args...)
		if got.code != exitOK || got.out == "" || got.errs != "" {
			t.Errorf("%v: exit %d, %d bytes out, says %q", args, got.code, len(got.out), got.errs)
		}
	}
}

// With --json what is told goes elsewhere, so that one run shows both.
func TestDemoInMemoryFindsEveryNumberAsItMustBe(t *testing.T) {
	got := runLine(t.Context(), "demo", "--in-memory", "--uploads", "400", "--json")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s\n%s", got.code, got.errs, got.out)
	}
	for _, part := range []string{"The story of 27 chunks", "kept 19  deleted 5", "rejected (dead-letter queue)", " 0 differ"} {
		if !strings.Contains(got.errs, part) {
			t.Errorf("the demo does not show %q:\n%s", part, got.errs)
		}
	}
	var result struct {
		Checked     int
		Differences []string
	}
	decode(t, []byte(got.out), &result)
	if result.Checked < 100 || result.Differences == nil || len(result.Differences) != 0 {
		t.Errorf("it prints %s", got.out)
	}
}

func TestAnInterruptedDemoSaysSoAndExitsWith130(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := runLine(ctx, "demo", "--in-memory")
	if got.code != exitInterrupted || !strings.Contains(got.errs, "interrupted") {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}

// TestReadmeListsTheExitCodes holds README's table to the constants.
func TestReadmeListsTheExitCodes(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| 0 | done; of `reconcile`: clean |", "| 1 | ", "| 2 | ", "| 130 | interrupted"} {
		if !strings.Contains(string(readme), row) {
			t.Errorf("README has no row %q", row)
		}
	}
	for _, command := range newRoot().Commands() {
		if !strings.Contains(string(readme), "`strandline "+command.Name()) && command.Name() != "help" {
			t.Errorf("README does not name the command %s", command.Name())
		}
	}
}

// closed is an output that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestADemoWhoseOutputCannotBeWrittenEndsAndSaysSo(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), []string{"demo", "--in-memory"}, closed{}, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "output cannot be written") {
		t.Errorf("exit %d, says %q", code, errs.String())
	}
}

func TestAGivenCloudIsGivenWholeOrNotAtAll(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9", "AWS_ENDPOINT_URL_SQS and AWS_ENDPOINT_URL_DYNAMODB is not set"},
		{"AWS_ENDPOINT_URL", "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID and AWS_PROFILE are not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{
				"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_DYNAMODB",
				"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
			} {
				t.Setenv(name, "")
			}
			t.Setenv(c.name, c.value)
			got := runLine(t.Context(), "demo")
			if got.code != exitFailed || !strings.Contains(got.errs, c.says) || strings.Count(got.errs, "\n") != 1 {
				t.Errorf("exit %d, says %q", got.code, got.errs)
			}
		})
	}
}
