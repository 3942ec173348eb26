//go:build infra

// Package strandline is the deployment as a CDK construct: the ledger's table,
// the queues, the functions with one role each, the schedules, what tells of
// stored objects and of rows that go, the buckets that are to be new, the
// inventories, the alarms and a dashboard.
//
//	strandline.New(stack, jsii.String("Strandline"), strandline.Props{
//		Buckets: []strandline.Bucket{{Name: "my-uploads"}},
//		Mail:    "ops@example.com",
//		Code:    "dist",
//	})
//
// Names, indexes and queue settings are those of shared/schema; delays those of
// shared/policy. What it makes deletes nothing until a person opens the gate.
// Removing it keeps the ledger and every bucket.
//
// The files need the build tag infra, so that everything else builds without
// the CDK's modules; synthesis needs Node. docs/deploy.md says what is made and
// why, and what each function may do.
package strandline
