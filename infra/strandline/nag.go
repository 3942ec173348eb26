//go:build infra

package strandline

import (
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// The findings of cdk-nag that are meant, with the reason that docs/deploy.md
// gives too.
const (
	whyWildcard = "Keys are generated, so rights on objects end in a star: below the named buckets and prefixes only. Lists of streams and of event source mappings cannot be narrowed. Which rights those are is a table that a test compares with the template."
	whyNoLogs   = "Access logs are a choice of the account's: turn them on for the bucket, or data events in CloudTrail. What the worker deletes is in its own log."
)

// acceptFindings tells cdk-nag of them.
func (s *Strandline) acceptFindings() {
	for _, role := range []constructs.IConstruct{s.Worker.Role(), s.Reconciler.Role(), s.Recorder.Role(), s.Operators} {
		suppress(role, "AwsSolutions-IAM5", whyWildcard)
	}
	if s.Relay != nil {
		suppress(s.Relay.Role(), "AwsSolutions-IAM5", whyWildcard)
	}
	suppress(s.Inventories, "AwsSolutions-S1", whyNoLogs)
	for i, b := range s.props.Buckets {
		if b.New {
			suppress(s.Buckets[i], "AwsSolutions-S1", whyNoLogs)
		}
	}
}

func suppress(on constructs.IConstruct, rule, reason string) {
	cdknag.NagSuppressions_AddResourceSuppressions(on, &[]*cdknag.NagPackSuppression{{
		Id: jsii.String(rule), Reason: jsii.String(reason),
	}}, jsii.Bool(true))
}
