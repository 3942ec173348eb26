// Package orc reads ORC files: as much of the format as a table of objects
// needs, and none of what a query engine wants.
//
// It reads flat columns of strings (string, varchar, char, binary), whole
// numbers (tinyint to bigint), booleans and timestamps (with and without local
// time zone), in files of version 0.11 and 0.12, stored plainly or with ZLIB,
// Snappy or Zstandard. Columns of any other type may be there, nested ones
// too: a column that is not asked for is never read.
//
// A file is not trusted. Every length is held against what is there before
// anything is allocated for it, every stream has to end exactly where its last
// row does, and the rows of the stripes have to add up to those of the footer;
// anything else is ErrCorrupt. ORC has no checksums, so a flipped bit inside a
// value goes unseen: who needs to know compares the file's digest first.
//
// Row indexes, bloom filters and statistics are not looked at. Encrypted files,
// LZO, LZ4 and the unfinished version 2 are ErrUnsupported.
//
// The rules: https://orc.apache.org/specification/ORCv1/
package orc
