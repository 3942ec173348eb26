// Package ledgertest is the conformance suite of the ledger's adapters. What it
// asserts is the contract that engines rely on; an adapter's own tests are for
// what only that adapter has.
package ledgertest
