// Package tables holds the SQL of the example, as it is installed with psql:
// the outbox with its triggers, and an application's tables that are watched.
package tables

import _ "embed"

// Outbox is outbox.sql: the schema strandline. Any application's database takes
// it as it is.
//
//go:embed outbox.sql
var Outbox string

// Albums is albums.sql: the tables of an application, and what of them is
// watched.
//
//go:embed albums.sql
var Albums string
