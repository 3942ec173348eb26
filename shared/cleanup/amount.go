package cleanup

import (
	"fmt"
	"io"
)

// Amount is how much something is: uploads, the object versions that may stand
// for them, and the bytes known of those.
type Amount struct {
	Uploads int64 `json:"uploads"`
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// Plus is the sum of two amounts.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Uploads + b.Uploads, a.Objects + b.Objects, a.Bytes + b.Bytes}
}

// amountsHead begins a table of amounts for people; line is a row of it.
func amountsHead(w io.Writer) {
	fmt.Fprintf(w, "%-28s %10s %12s %16s\n", "", "uploads", "objects", "bytes")
}

func (a Amount) line(w io.Writer, name string) {
	fmt.Fprintf(w, "%-28s %10d %12d %16d\n", name, a.Uploads, a.Objects, a.Bytes)
}
