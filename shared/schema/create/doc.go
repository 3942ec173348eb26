// Package create makes what package schema describes, on any endpoint that
// speaks DynamoDB, SQS and S3: for emulators, tests and the demo. An account is
// better deployed to by infra/.
//
// Create leaves alone what exists: equal is fine, different is an error that
// names the first difference. Delete takes away only what its own Create made.
package create
