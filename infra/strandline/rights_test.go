//go:build infra

package strandline

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// meant is where each ARN of the usual installation belongs; the log group is
// the role's own only.
func meant(role string) map[string]rights.Place {
	invoked, unlimited := rights.Invoked, rights.AllStreams
	if role == "Operators" {
		invoked, unlimited = rights.Functions, rights.Mappings
	}
	const acmeOrders = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/acme-orders"
	all := map[string]rights.Place{
		"${StrandlineLedger.Arn}":                           rights.Table,
		"${StrandlineLedger.Arn}/index/due":                 rights.Index,
		"${StrandlinePurge.Arn}":                            rights.PurgeQueue,
		"${StrandlinePurgeDead.Arn}":                        rights.PurgeDead,
		"${StrandlineEventsDead.Arn}":                       rights.EventsDead,
		"${StrandlineScheduler.Arn}":                        invoked,
		"${StrandlineWorker.Arn}":                           rights.Functions,
		"${StrandlineReconciler.Arn}":                       invoked,
		"arn:${AWS::Partition}:s3:::acme-uploads":           rights.Sources,
		"${StrandlineBucketAcmeMedia.Arn}":                  rights.Sources,
		"arn:${AWS::Partition}:s3:::acme-uploads/uploads/*": rights.Objects,
		"${StrandlineBucketAcmeMedia.Arn}/*":                rights.Objects,
		"${StrandlineInventories.Arn}":                      rights.Inventories,
		"${StrandlineInventories.Arn}/inventory/*":          rights.InventoryObjects,
		"${Strandline" + role + "Logs.Arn}":                 rights.OwnLogs,
		"${StrandlineAudit.Arn}":                            rights.AuditLogs,
		"${StrandlineStored.Arn}":                           rights.StoredQueue,
		"${StrandlineReleases.Arn}":                         rights.ReleasesQueue,
		"${StrandlineReleasesDead.Arn}":                     rights.ReleasesDead,
		"${StrandlineRecorder.Arn}":                         rights.Functions,
		"${StrandlineRelay.Arn}":                            rights.Functions,
		acmeOrders:                                          rights.SourceTables,
		acmeOrders + "/index/by-image":                      rights.SourceRows,
		orders().Stream:                                     rights.Streams,
		"*":                                                 unlimited,
	}
	for _, function := range []string{"Scheduler", "Worker", "Reconciler", "Recorder", "Relay"} {
		all["${Strandline"+function+"Role.Arn}"] = rights.Roles
	}
	for _, schedule := range []string{"pass", "census", "reconcile", "sweep"} {
		all["arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/default/strandline-"+schedule] = rights.Schedules
	}
	return all
}

// granted is what every role and policy of a template may do: by role, by the
// kind of thing, the actions. What cannot be told is a failure.
func granted(t *testing.T, s synthesized) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for id, r := range s.of("AWS::IAM::Role") {
		if len(list(r.Properties["ManagedPolicyArns"])) > 0 && r.Properties["ManagedPolicyArns"] != nil {
			t.Errorf("role %s has a managed policy of others", id)
		}
		role := strings.TrimSuffix(strings.TrimPrefix(hash.ReplaceAllString(id, ""), "Strandline"), "Role")
		all[role] = map[string]string{}
		for _, policy := range list(r.Properties["Policies"]) {
			statements(t, all[role], role, policy.(map[string]any)["PolicyDocument"])
		}
	}
	for id, r := range s.of("AWS::IAM::ManagedPolicy") {
		name := strings.TrimPrefix(hash.ReplaceAllString(id, ""), "Strandline")
		all[name] = map[string]string{}
		statements(t, all[name], name, r.Properties["PolicyDocument"])
	}
	for _, kind := range []string{"AWS::IAM::Policy", "AWS::IAM::User", "AWS::IAM::Group", "AWS::IAM::RolePolicy"} {
		for id := range s.of(kind) {
			t.Errorf("there is a %s, %s: rights belong into the tables", kind, id)
		}
	}
	return all
}

func statements(t *testing.T, into map[string]string, role string, document any) {
	t.Helper()
	for _, one := range list(document.(map[string]any)["Statement"]) {
		statement := one.(map[string]any)
		for _, not := range []string{"NotAction", "NotResource"} {
			if statement[not] != nil {
				t.Errorf("%s has %s", role, not)
			}
		}
		var actions []string
		for _, a := range list(statement["Action"]) {
			actions = append(actions, a.(string))
			if strings.Contains(a.(string), "*") {
				t.Errorf("%s may do %s: a wildcard", role, a)
			}
		}
		slices.Sort(actions)
		for _, resource := range list(statement["Resource"]) {
			at, known := meant(role)[flat(resource)]
			if !known {
				t.Errorf("%s has rights on %s", role, flat(resource))
			}
			if had, twice := into[string(at)]; twice && had != strings.Join(actions, " ") {
				t.Errorf("%s has several lists of rights on the %s", role, at)
			}
			into[string(at)] = strings.Join(actions, " ")
		}
	}
}

// The document is what a person agreed to. A right that is not in it, or that
// somebody adds to a role in passing, fails here.
func TestEveryRightIsInTheDocumentAndNoOther(t *testing.T) {
	want := map[string]map[string]string{}
	for _, row := range rowsUnder(t, "## Rights") {
		role, at, actions := row[0], row[1], strings.Fields(row[2])
		slices.Sort(actions)
		if want[role] == nil {
			want[role] = map[string]string{}
		}
		want[role][at] = strings.Join(actions, " ")
	}
	if d := cmp.Diff(want, granted(t, theUsual(t))); d != "" {
		t.Errorf("docs/deploy.md (-) and the template (+):\n%s", d)
	}
}

// Each of these is a promise by itself, whatever the document says.
func TestWhatNoFunctionMayDo(t *testing.T) {
	all := granted(t, theUsual(t))
	everything := func(role string) string {
		return strings.Join(slices.Collect(maps.Values(all[role])), " ") + " "
	}
	for role, never := range map[string][]string{
		// Without a version id a delete hides what is live.
		"Worker": {"s3:DeleteObject ", "s3:PutObject", "s3:BypassGovernanceRetention", "s3:PutObjectRetention", "s3:PutObjectLegalHold", "s3:PutBucket"},
		// It decides, and must not be able to act.
		"Scheduler": {"s3:"},
		// It finds what looks like rubbish; a person decides.
		"Reconciler": {"s3:Delete", "s3:Put", "s3:Abort", "dynamodb:Delete", "sqs:Delete"},
		// They are told what happened elsewhere, and write into the ledger.
		"Recorder":  {"s3:Delete", "s3:Put", "s3:Abort", "s3:ListBucketVersions", "sqs:Send", "dynamodb:Scan"},
		"Relay":     {"s3:Delete", "s3:Put", "s3:Abort", "dynamodb:Scan"},
		"Schedules": {"s3:", "dynamodb:"},
		"Operators": {"s3:BypassGovernanceRetention", "s3:PutObject", "dynamodb:DeleteTable", "scheduler:Update", "lambda:Update", "iam:Put"},
	} {
		for _, action := range never {
			if strings.Contains(everything(role), action) {
				t.Errorf("%s may do %s: %s", role, action, everything(role))
			}
		}
	}
	for role := range all {
		may := all[role]["source tables"] + " " + all[role]["source tables and indexes"]
		if strings.Contains(strings.ReplaceAll(may, "dynamodb:GetItem", ""), "Item") {
			t.Errorf("%s may write to a table of an application: %s", role, may)
		}
	}
	if !strings.Contains(everything("Worker"), "s3:DeleteObjectVersion") {
		t.Error("the worker may not delete an exact version")
	}
}

func TestEachFunctionHasARoleOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for id, f := range theUsual(t).of("AWS::Lambda::Function") {
		role := flat(f.Properties["Role"])
		if other := seen[role]; other != "" {
			t.Errorf("%s and %s share the role %s", id, other, role)
		}
		seen[role] = id
	}
	if len(seen) != 5 {
		t.Errorf("%d functions: there is one that we did not make", len(seen))
	}
}
