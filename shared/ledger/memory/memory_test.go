package memory_test

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/ledger/ledgertest"
	"github.com/strandline-dev/strandline/shared/ledger/memory"
)

func TestMemoryKeepsTheLedgersContract(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledgertest.Ledger { return memory.New() })
}
