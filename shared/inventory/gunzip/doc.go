// Package gunzip unpacks gzip files, of one member or several.
//
// It is there for speed alone: unpacking is most of what reading an inventory
// in CSV costs, and this takes about half the time of the best library
// (github.com/klauspost/compress; the benchmark has both). It decodes two
// literals at a time from one table entry, keeps 64 bits at hand, and writes
// matches eight bytes at a time.
//
// What it gives is not to be used before the end was reached without an error:
// the checksum and the length of each member come after its bytes. Input that
// ends early, a wrong checksum, or anything else that is not a gzip file
// (RFC 1952) of DEFLATE (RFC 1951) is an error; no input makes it panic, hang
// or take more memory than its two buffers.
package gunzip
