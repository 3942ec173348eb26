package inventory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// lookupParquet yields the rows with the numbers, which ascend. Of each column
// only the pages that hold one of them are read.
func lookupParquet(ctx context.Context, file File, numbers []int64) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		if !slices.IsSorted(numbers) || len(numbers) > 0 && numbers[0] < 0 {
			yield(nil, errors.New("the numbers of the rows to look up do not ascend from 0"))
			return
		}
		p, err := openParquet(file)
		if err != nil {
			yield(nil, err)
			return
		}
		for group, g := range p.file.RowGroups() {
			first := p.number
			p.number += g.NumRows()
			n, _ := slices.BinarySearch(numbers, p.number)
			if n > 0 && !p.yieldSome(ctx, group, first, numbers[:n], yield) {
				return
			}
			numbers = numbers[n:]
		}
		if len(numbers) > 0 {
			yield(nil, fmt.Errorf("row %s is not there", grouped(numbers[0]+1)))
		}
	}
}

// yieldSome yields rows of one row group, and reports whether to go on.
func (p *parquetFile) yieldSome(ctx context.Context, group int, first int64, numbers []int64, yield func(*Row, error) bool) bool {
	wanted := make([]int64, len(numbers))
	for i, n := range numbers {
		wanted[i] = n - first
	}
	g, err := p.openGroup(group, wanted)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer g.close()
	for i, at := range wanted {
		err := ctx.Err()
		if err == nil && (i == 0 || at != wanted[i-1]) {
			err = g.readAt(at, p.rows[:1], numbers[i])
		}
		if err != nil {
			yield(nil, fmt.Errorf("row %s: %w", grouped(numbers[i]+1), err))
			return false
		}
		if !yield(&p.rows[0], nil) {
			return false
		}
	}
	return true
}
