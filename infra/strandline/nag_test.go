//go:build infra

package strandline

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// nag is cdk-nag's report of the usual installation: a line for each rule and
// resource. The program that synthesizes ends well whatever it says.
func nag(t *testing.T) [][]string {
	t.Helper()
	out := t.TempDir()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(out)})
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{Reports: jsii.Bool(true)}), nil)
	stack := awscdk.NewStack(app, jsii.String("Test"), nil)
	New(stack, "Strandline", usual(t))
	app.Synth(nil)
	files, err := filepath.Glob(filepath.Join(out, "AwsSolutions-*-NagReport.csv"))
	if err != nil || len(files) != 1 {
		t.Fatalf("cdk-nag wrote %d reports: %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(lines) < 20 {
		t.Fatalf("cdk-nag's report has %d lines: %v", len(lines), err)
	}
	return lines[1:]
}

// What is suppressed has a reason, and the document says the same: a finding
// that nobody explained, or an explanation of what is not there, fails.
func TestNagFindsNothingThatTheDocumentDoesNotExplain(t *testing.T) {
	want := map[string]string{}
	for _, row := range rowsUnder(t, "## What cdk-nag says") {
		want[row[0]] = row[2]
	}
	seen := map[string]bool{}
	for _, line := range nag(t) {
		rule, on, compliance, reason := line[0], line[1], line[2], line[3]
		switch {
		case compliance == "Compliant" || compliance == "N/A":
		case compliance != "Suppressed":
			t.Errorf("%s: %s is %s: %s", rule, on, compliance, line[5])
		case want[rule] != reason:
			t.Errorf("%s: %s is suppressed because %q, the document says %q", rule, on, reason, want[rule])
		default:
			seen[rule] = true
		}
	}
	for rule := range want {
		if !seen[rule] {
			t.Errorf("%s is explained and not found", rule)
		}
	}
}
