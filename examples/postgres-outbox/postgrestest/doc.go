// Package postgrestest starts a real PostgreSQL for a test, in a folder of its
// own, reached by a socket in it: no port, no Docker, nothing that was there
// before is touched.
//
// It is the machine's own, or one that the project fetches into .tools. It never
// skips: a test that cannot have its PostgreSQL fails, and says in one line what
// to install.
package postgrestest
