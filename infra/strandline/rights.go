//go:build infra

package strandline

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// places are the ARNs of each kind of thing that shared/schema/rights knows.
// docs/deploy.md shows the same lists, with the call that needs each; a test
// compares the document with the synthesized policies.
type places map[rights.Place][]*string

// statements are the rights as a policy, one statement for each kind of thing.
func (s *Strandline) statements(all []rights.Right, at places) *[]awsiam.PolicyStatement {
	var made []awsiam.PolicyStatement
	for _, r := range all {
		made = append(made, allow(r, at[r.On], nil))
	}
	if s.props.Key != nil {
		via := map[string]any{"StringEquals": map[string]any{"kms:ViaService": s.services("dynamodb", "sqs", "s3")}}
		made = append(made, allow(rights.UsesKey(), []*string{s.props.Key.KeyArn()}, &via))
	}
	return &made
}

func allow(r rights.Right, on []*string, conditions *map[string]any) awsiam.PolicyStatement {
	if len(on) == 0 {
		panic("no ARN for the rights on " + string(r.On))
	}
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(r.Actions...), Resources: &on, Conditions: conditions,
	})
}

// policies are the statements as a role's only inline policy. It is part of the
// role, so that nothing begins to act before its rights are there.
func (s *Strandline) policies(all []rights.Right, at places) *map[string]awsiam.PolicyDocument {
	return &map[string]awsiam.PolicyDocument{
		"rights": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: s.statements(all, at)}),
	}
}
