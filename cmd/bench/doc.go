// Command bench measures what docs/performance.md and docs/costs.md say, each
// beside a baseline of the same run:
//
//	go run ./cmd/bench                       # everything; make bench
//	go run ./cmd/bench -short                # everything, small
//	go run ./cmd/bench purge [-short ...]    # one of them; -h lists its flags
//
// Flags without a name are reconcile's, but for -short, which is everybody's.
package main
