package memory_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/gate/gatetest"
	"github.com/strandline-dev/strandline/shared/gate/memory"
)

func TestTheGateInMemoryIsAGate(t *testing.T) {
	gatetest.Run(t, func(_ *testing.T, now func() time.Time) func(gate.Decision) gatetest.Gate {
		g := memory.New(now)
		return func(d gate.Decision) gatetest.Gate { return g.By(d) }
	})
}
