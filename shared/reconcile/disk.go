package reconcile

import (
	"fmt"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// Need is what a comparison will take, as far as it can be told beforehand: by
// the sizes of the inventory's files, and twice that of what is usual.
type Need struct {
	// Disk is bytes in the folder for temporary files.
	Disk int64

	input   int64
	records int64
}

// Estimate says what comparing the two will need, before anything is read.
func Estimate(inv inventory.Reader, own manifest.Reader) Need {
	const (
		perRow = 50  // bytes of an inventory's file, at the least
		names  = 220 // bytes of a logged row or entry
	)
	var n Need
	for _, file := range inv.Manifest().Files {
		n.input += file.Size
	}
	rows := n.input / perRow
	n.records = 2 * rows
	n.Disk = n.records * recordSize
	if !inv.Seekable() {
		n.Disk += rows * names
	}
	if !own.Seekable() {
		n.Disk += rows * names
	}
	return n
}

// fits refuses a comparison that the folder has no room for.
func (n Need) fits(dir string) error {
	free, known := freeBytes(dir)
	if known && free < n.Disk {
		return fmt.Errorf("the comparison may need %d MB in the folder for temporary files, and %d MB are free there: give it another one",
			n.Disk>>20, free>>20)
	}
	return nil
}
