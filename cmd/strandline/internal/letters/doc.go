// Package letters is where an operator sees dead letters and decides about
// them: those of the commands' queue, and the triggers of the functions that
// failed to the end. It names letters, uploads and tenants, and no objects. What
// a letter holds is shown on demand only: it is whatever somebody has sent.
package letters
