// Package awsconf is the one place that knows how this product talks to AWS:
// where the services are, how long a call may take, how often it is repeated,
// and what its failure means. Nothing here knows what is asked for.
//
// Kind is the only translation of the SDK's errors into the taxonomy of
// package upload. What an adapter's own condition means (a conditional check,
// a 412) is the adapter's affair, and comes before Kind.
package awsconf
