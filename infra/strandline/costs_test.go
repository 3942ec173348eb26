//go:build infra

package strandline

import (
	"testing"

	"github.com/strandline-dev/strandline/localstack/bill"
)

// docs/costs.md says what a deployment costs that nobody has changed.
func TestTheBillIsMadeForWhatIsDeployed(t *testing.T) {
	s := theUsual(t)
	for name, memory := range map[string]int{"worker": bill.WorkerMB, "scheduler": bill.SchedulerMB} {
		s.has(t, "AWS::Lambda::Function", object{"FunctionName": "strandline-" + name, "MemorySize": memory})
	}
	s.has(t, "AWS::Lambda::EventSourceMapping", object{
		"BatchSize": bill.Messages, "ScalingConfig": object{"MaximumConcurrency": bill.Workers},
	})
}
