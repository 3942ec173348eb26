package parquetcolumns_test

import (
	"encoding/binary"
	"testing"

	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

// TestARowIsReachedWhereAllOfItIsThere: of a page of which only the beginning was
// unpacked, cut at every byte, a row is there if its value ends before the cut.
func TestARowIsReachedWhereAllOfItIsThere(t *testing.T) {
	for _, numbers := range []bool{false, true} {
		for _, levels := range [][]byte{nil, {1, 1, 0, 1, 0, 1}, {0, 1, 1, 1, 1, 1}} {
			values, from, to := sixValues(levels, numbers)
			for cut := range len(values) + 1 {
				for row := range to {
					at, ok := parquetcolumns.Reach(values[:cut:cut], levels, numbers, row)
					if ok != (to[row] <= cut) || ok && at != from[row] {
						t.Fatalf("numbers %v, levels %v, %d bytes of %d: row %d at %d, %v", numbers, levels, cut, len(values), row, at, ok)
					}
				}
			}
		}
	}
}

// sixValues are the values of six rows, and where each begins and ends.
func sixValues(levels []byte, numbers bool) (values []byte, from, to []int) {
	for row := range 6 {
		from = append(from, len(values))
		switch {
		case levels != nil && levels[row] == 0:
		case numbers:
			values = binary.LittleEndian.AppendUint64(values, uint64(row))
		default:
			values = append(binary.LittleEndian.AppendUint32(values, uint32(5-row)), "value"[row:]...)
		}
		to = append(to, len(values))
	}
	return values, from, to
}
