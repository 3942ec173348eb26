// Package look gathers the facts that package reclaim judges. It changes
// nothing: it describes, lists and reads, and gives back the dead letters that
// it has received. What it cannot see is a fact too.
package look
