// Package deadletter looks through dead letters, and sends back to the queue
// what a worker can carry out.
//
// A queue cannot be read without receiving from it. A look therefore receives
// every letter once, keeps it hidden until the look has come to its end, and
// then gives all of them back, also when it is interrupted. A look that dies
// gives nothing back: its letters return by themselves after [HideFor]. Until
// then they are hidden from every other look, and only the queue's own count
// shows that they are there: who says that there are none asks for it.
//
// What is redriven is a command that the codec takes today, about an upload
// that the ledger has, and that is not parked: anything else would only come
// back. It is sent first, and discarded among the dead letters only when the
// queue's answer has named it. A crash in between leaves it in both: it is
// delivered twice, which costs money and never data (the ledger decides what is
// done); it is never lost. What goes back is the command as this version writes
// it; it says what the letter says, since the codec takes nothing that it does
// not know.
//
// A plan names letters. Executing it looks again, and touches those letters and
// no others: what has died since was not approved.
package deadletter
