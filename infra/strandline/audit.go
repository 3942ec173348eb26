//go:build infra

package strandline

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

// auditTrail is the log group of the audit trail: kept longer than the
// functions' logs, and written by nobody but those who decide.
func (s *Strandline) auditTrail() {
	s.Audit = awslogs.NewLogGroup(s.Construct, jsii.String("Audit"), &awslogs.LogGroupProps{
		Retention: logDays[s.props.AuditDays],
		// Who deleted what is in there: it ends by its retention.
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
}
