// Package loggroup puts lines into a log group of CloudWatch Logs, over the
// SDK's own configuration, signer and HTTP client.
//
// The SDK's client for CloudWatch Logs is not used: with it the reconciler's
// binary is 16.3 MB, and 16 MB are what a function may have. Two calls of one
// protocol
// (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html) are all that
// is needed of it.
package loggroup
