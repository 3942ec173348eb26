package installation_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// collected are the public reports that were collected before this was built:
// faults that others shipped, by project and number. Each kind is to be ruled
// out here.
var collected = []string{
	// live data deleted
	"juicefs#6479", "immich#30933", "immich#7436", "mastodon#33948", "lakeFS#4658", "rails#33438", "iceberg#4194",
	"StarRocks#77394", "paimon#4779", "distribution#3045", "quay#6318", "tus-ruby-server#13", "restic#3486",
	// races and late writes
	"geolens#1401", "thanos#8442", "rails#35386", "icechunk#2310",
	// versioned buckets
	"s5cmd#386", "runs-on#329", "cyberduck#16472", "minio#11086", "noobaa#8733",
	// locks, partial answers, throttling, keys
	"localstack#8183", "versitygw#579", "distribution#3635", "aws-sdk-php#1790", "riak_cs#899", "lakeFS#5729",
	"s3cmd#28", "duckdb#3830",
	// inventories
	"discourse#6867", "discourse#8823", "AWS's own documentation of S3 Inventory", "delta#7036", "s3ql#6", "neon#5409",
	// queue, ledger, functions
	"terraform-aws-github-runner#5193", "CUDly#1574", "elastic-ipfs#154", "spacecat#2876", "wolverine#3503",
	"workflow-manager#91", "teleport#19885", "aws-sdk-js#1784", "S3F2#287",
}

// namedReport is a report as a row names it.
var namedReport = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_-]*#[0-9]+`)

// That each row names a test which exists is for the test beside this one.
func TestEveryCollectedReportHasARowAndNoRowIsOfAnother(t *testing.T) {
	var listed []string
	for line := range strings.Lines(readCases(t)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.HasPrefix(line, "| ") || strings.TrimSpace(cells[1]) == "report" {
			continue
		}
		names := namedReport.FindAllString(cells[1], -1)
		if len(names) == 0 {
			names = []string{strings.TrimSpace(cells[1])}
		}
		listed = append(listed, names...)
	}
	for _, report := range collected {
		if !slices.Contains(listed, report) {
			t.Errorf("no row of %s is about %s", casesDoc, report)
		}
	}
	for _, report := range listed {
		if !slices.Contains(collected, report) {
			t.Errorf("a row of %s is about %s, which is not in the list here", casesDoc, report)
		}
	}
}
