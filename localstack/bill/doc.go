// Package bill runs the whole cleanup of abandoned uploads over the wire and
// says what AWS would bill for it.
//
// An installation of its own is made on an emulator; its functions' handlers
// run over the AWS SDK with a meter in between (package meter). The uploads are
// those of a backlog: 100 in each shard of the due index, so that every batch is
// full; 10 objects each; a hold that is over, as is their activity grace;
// neither quota nor content hash. They go through the pass that marks, the pass
// that publishes, and the workers, which take 100 messages at a time, as in a
// new installation.
//
// Lambda's event source is played too: its receives and deletes, of ten messages
// each, are billed to the queue's owner like his own. What nobody can count here,
// Lambda's time, is estimated, and said to be.
package bill
