// Package worker is the function that carries out the pass's commands: SQS
// messages in, exact object versions gone. It holds configuration, composition
// and the event's shape; what is decided is in package cleanup.
//
// The answer begins with every message as failed and strikes off each one that
// is durably done; see [App.Handle].
package worker
