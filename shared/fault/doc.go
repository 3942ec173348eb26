// Package fault lets external calls go wrong, on purpose and one at a time:
// tests record what a story calls, and then repeat the story once for each call
// and each way in which it can fail.
//
// A [Set] knows the calls by who made them ([As] says so in the context), their
// operation, and how many of it came before: "worker S3.DeleteObjects 2". Calls
// of nobody pass, unseen: a test looks at the stores beside the story.
//
// There are two places to stand in. [Ledger], [Objects], [Gate] and [Queue] are
// in front of the adapters and fail in the words of package upload, as an
// engine sees it. [Transport] is in front of a service, behind the SDK: it
// answers with the service's own codes, or breaks the connection, for all
// attempts that the SDK makes of the call. There the adapters' reading of an
// answer is tested too.
//
// A call fails before it took effect, after it, or in the middle ([When]).
// [Cases] lists what can happen to an operation. [Set.Missed] names what was
// scripted and never reached: a fault that hit nothing has shown nothing.
//
// It is for tests. Nothing that is deployed imports it.
package fault
