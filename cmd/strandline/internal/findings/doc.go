// Package findings writes the findings of a comparison: JSON Lines, an object
// version a line, in a file that only its owner can read and that exists only
// when the comparison has succeeded.
package findings
