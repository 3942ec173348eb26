package inventory

import (
	"context"
	"fmt"
	"iter"
)

// lookupParquet yields the rows with the numbers, which ascend.
func lookupParquet(ctx context.Context, file File, numbers []int64) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		want := numbers
		for row, err := range scanParquet(ctx, file, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for len(want) > 0 && want[0] == row.Number {
				want = want[1:]
				if !yield(row, nil) {
					return
				}
			}
			if len(want) == 0 {
				return
			}
		}
		if len(want) > 0 {
			yield(nil, fmt.Errorf("row %s is not there", grouped(want[0]+1)))
		}
	}
}
