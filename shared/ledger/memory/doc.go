// Package memory is a ledger in memory: for tests, the simulation and the demo
// without a cloud. It keeps every promise that package ledger makes, under one
// lock; what it returns is a copy, so changing it changes nothing stored. It
// passes ledger/ledgertest like the adapter that is used in production.
package memory
