// Package meter counts the calls that pass between the SDK and AWS, and what
// AWS would bill for them: requests, DynamoDB's read and write units, the
// versions of a delete, the messages of a batch.
//
// It stands where the SDK has built a request and before it is sent, so what is
// counted is what goes over the wire, whoever asked for it. Units follow from
// the items themselves, by the rules that AWS publishes, since no emulator
// bills. It changes nothing that passes.
//
// It counts; it knows no prices. Those, and what follows for an installation,
// are in docs/costs.md.
package meter
