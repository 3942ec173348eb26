// Package source describes what outside Strandline refers to objects: an
// application's own DynamoDB tables, and databases whose outbox sends releases
// as messages. It says which attributes of a row name an object, and how the
// rows that name one are found; it reads no table itself.
//
// When a row goes, or names another object, the object it named is released:
// package release takes it from there. Before anything is deleted, every
// source with an index is asked whether a row still names it.
package source
