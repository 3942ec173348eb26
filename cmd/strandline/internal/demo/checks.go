package demo

import (
	"fmt"
	"io"
	"strings"
)

// checks collects what was compared, and prints what differs as it is found.
type checks struct {
	out    io.Writer
	failed []string
	passed int
}

// equal compares a number that was found with what it must be.
func (c *checks) equal(what string, got, want int64) {
	c.check(got == want, "%s: found %d, expected %d", what, got, want)
}

// same compares two words.
func (c *checks) same(what, got, want string) {
	c.check(got == want, "%s: found %q, expected %q", what, got, want)
}

// holds notes a condition that must be true.
func (c *checks) holds(what string, ok bool) { c.check(ok, "%s", what) }

func (c *checks) check(ok bool, format string, args ...any) {
	if ok {
		c.passed++
		return
	}
	c.failed = append(c.failed, fmt.Sprintf(format, args...))
	fmt.Fprintf(c.out, "  DIFFERS  %s\n", c.failed[len(c.failed)-1])
}

// unknownBytes is shown as a dash.
const unknownBytes = -1

// line is a row of the closing table.
type line struct {
	name                    string
	uploads, objects, bytes int64
}

// table prints rows of names and numbers under a title.
func table(out io.Writer, title string, rows []line) {
	fmt.Fprintf(out, "\n%-34s %9s %10s %14s\n%s\n", title, "uploads", "objects", "bytes", strings.Repeat("─", 70))
	for _, r := range rows {
		bytes := fmt.Sprint(r.bytes)
		if r.bytes == unknownBytes {
			bytes = "-"
		}
		fmt.Fprintf(out, "%-34s %9d %10d %14s\n", r.name, r.uploads, r.objects, bytes)
	}
}
