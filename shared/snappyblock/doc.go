// Package snappyblock unpacks blocks of Snappy's raw format, three side by side.
//
// Where an element of a block begins is known only when the one before it has
// been taken apart, and so a processor that unpacks one block waits most of the
// time. Three that are unpacked in turns take five to seven tenths of the time
// that they take a library one after the other.
//
// The format is that of
// https://github.com/google/snappy/blob/main/format_description.txt. Nothing
// here is unsafe: no index is used that has not been compared with a bound.
package snappyblock
