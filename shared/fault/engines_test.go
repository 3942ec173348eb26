package fault_test

import (
	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
)

// A method that an engine begins to call, and that can fail, does not compile
// here until it can fail on purpose too.
var (
	_ scheduler.Ledger  = (*fault.Ledger)(nil)
	_ cleanup.Switch    = (*fault.Gate)(nil)
	_ cleanup.Publisher = (*fault.Queue)(nil)
	_ cleanup.Records   = (*fault.Ledger)(nil)
	_ cleanup.Store     = (*fault.Objects)(nil)
	_ cleanup.Parts     = (*fault.Objects)(nil)
	_ cleanup.Gate      = (*fault.Gate)(nil)
	_ cleanup.Receipts  = (*fault.Queue)(nil)
	_ confirm.Records   = (*fault.Ledger)(nil)
	_ confirm.Store     = (*fault.Objects)(nil)
	_ intake.Records    = (*fault.Ledger)(nil)
	_ intake.Lookups    = (*fault.Ledger)(nil)
	_ intake.Objects    = (*fault.Objects)(nil)
)
