// Package explanation says in words what is known of one upload: what its
// record holds, what keeps it, what the passes will decide about it and when,
// and what of the installation stands in their way. It decides nothing: what
// passes do it asks of the core and of the cursors, and puts into words.
//
// It shows the keys of the upload's objects: whoever may run it may see them.
package explanation
