// Package relay is the function that takes what applications' databases gave up:
// records of their tables' streams, and an outbox's messages. It holds
// configuration, composition and the events' shapes; what is done is in package
// release.
//
// It deletes nothing and calls nothing that could. What it writes is due some
// days later, for the pass and the workers.
package relay
