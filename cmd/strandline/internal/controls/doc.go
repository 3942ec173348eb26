// Package controls is the gate in an operator's hands: whether anything may be
// deleted, the pause, and the rate. It says what a change would do and asks;
// what only stops is never asked about and never refused.
//
// What opens is bound to the state that the person was shown: when somebody
// else has decided meanwhile, it is refused and nothing changes.
package controls
