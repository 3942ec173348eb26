package waiting

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
)

// heapTable is what is parked by failure, the largest heap first.
func heapTable(heaps map[string]heap, now time.Time) *show.Table {
	table := show.NewTable("last failure", ">uploads", ">objects", ">bytes", ">parked since")
	names := slices.SortedFunc(maps.Keys(heaps), func(a, b string) int {
		return cmp.Or(cmp.Compare(heaps[b].Uploads, heaps[a].Uploads), cmp.Compare(a, b))
	})
	for _, name := range names {
		h := heaps[name]
		table.Add(name, bytesize.Count(h.Uploads), bytesize.Count(h.Objects), bytesize.Text(h.Bytes), show.Age(now, h.oldest))
	}
	return table
}
