// Package look gathers the facts that package checkup judges. It changes
// nothing: it describes, reads, asks IAM what a role may do, and tries what
// cannot have an effect (a write whose condition never holds, an abort of an
// upload that does not exist). It decides nothing; what it cannot see is a fact
// too.
package look
