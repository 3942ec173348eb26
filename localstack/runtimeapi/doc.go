// Package runtimeapi stands in for Lambda on this machine: it starts a
// function's own binary as a process, hands it one event after the other over
// the runtime interface
// (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html), and can kill
// it at any instant, as nothing in the process itself can be asked to.
//
// A process gets the environment that it is given and nothing of this one's. An
// invocation that takes longer than it may ends as Lambda ends it: the process
// is killed. Tests and benchmarks use it; nothing that is deployed imports it.
package runtimeapi
