// Package waiting is where an operator sees the uploads that wait for a person:
// those that are stuck, and those whose purge is parked, and lets parked ones
// go on. It shows ids and numbers, and no object's name.
//
// Its lists may be as long as the ledger. They are read as they are shown, and
// a bounded part of them is held.
package waiting
