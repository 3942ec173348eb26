package reclaim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/source"
)

// mapping: what the relay would read of the rows there are.
func (j *judge) mapping() {
	if unseen(j, CheckMapping, j.source.Sample, "dynamodb:Scan", func() {
		j.add(CheckMapping, Gap, "name the source's table, in this account and region", "there is no table %s", j.source.Table)
	}) {
		return
	}
	s := j.source.Sample.Got
	rows := show.Counted(int64(s.Rows), "row")
	if j.unmapped(s, rows) {
		return
	}
	before := len(j.all)
	if n := s.unreadable(); n > 0 {
		j.add(CheckMapping, Weak, correct+"; what cannot be read is parked when the row goes", "of %s %d cannot be read: %s", rows, n, whys(s.Unreadable))
	}
	if s.Unfindable > 0 {
		j.add(CheckMapping, Weak, "write the URLs in one of the forms of docs/outbox.md, or name what they begin with",
			"%s spelled so that the index cannot be asked: they are parked when the row goes", show.CountedAs(int64(s.Unfindable), "object is", "objects are"))
	}
	if len(j.all) == before {
		j.ok(CheckMapping, "%s name %s%s", rows, show.Counted(int64(s.Named), "object"), standing(s))
	}
	if s.Foreign > 0 {
		j.note(CheckMapping, "%s of no bucket of the source's: those are not its business", show.CountedAs(int64(s.Foreign), "URL is", "URLs are"))
	}
}

const correct = "correct the source's paths, and deploy with them"

// unmapped: of no row it is known what it names, or nothing of it is there.
func (j *judge) unmapped(s Sample, rows string) bool {
	switch {
	case s.Rows == 0:
		j.note(CheckMapping, "the table has no row to try it on")
	case s.unreadable() == s.Rows:
		j.add(CheckMapping, Gap, correct, "of %s none can be read: %s", rows, whys(s.Unreadable))
	case s.Named == 0 && s.Foreign > 0:
		j.add(CheckMapping, Gap, "name the bucket, or what the URLs begin with, and deploy with it", "of %s none names an object of a bucket of the source's", rows)
	case s.Named == 0:
		j.add(CheckMapping, Gap, correct, "of %s none names an object", rows)
	case s.Asked > 0 && s.Standing == 0:
		j.add(CheckMapping, Gap, correct, "of %s that rows name none is there", show.Counted(int64(s.Asked), "object"))
	default:
		return false
	}
	return true
}

// unreadable counts the rows that cannot be read.
func (s Sample) unreadable() (rows int) {
	for _, n := range s.Unreadable {
		rows += n
	}
	return rows
}

func standing(s Sample) string {
	if s.Asked == 0 {
		return ""
	}
	return fmt.Sprintf("; of %d looked for, %d are there", s.Asked, s.Standing)
}

func whys(all map[string]int) string {
	const few = 3
	words := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if all[a] != all[b] {
			return all[b] - all[a]
		}
		return strings.Compare(a, b)
	})
	return strings.Join(words[:min(few, len(words))], "; ")
}

// index: without one, the first of two rows that goes takes the object along;
// one that cannot be asked keeps everything.
func (j *judge) index() {
	s := j.source
	switch {
	case s.Table == "":
		j.note(CheckIndex, "rows of an outbox cannot be asked: where several rows share an object, its drainer has to ask them, or the ledger needs a reference for each")
		return
	case s.Index == nil:
		j.add(CheckIndex, Weak, "make an index of the attribute that names the object, and name it in the source",
			"there is none: an object that two rows name goes with the first of them")
		return
	case !s.Stream.Seen:
		j.add(CheckIndex, Unchecked, "see the stream check", "the table was not seen")
		return
	}
	name, got := indexName(*s.Index), s.Stream.Got.Index
	switch {
	case got == Index{}:
		j.add(CheckIndex, Gap, "make the index, or name another", "%s is not there: every look at rows fails, and what is released stays", name)
	case got.Attribute != s.Index.Attribute || got.Type != "S":
		j.add(CheckIndex, Gap, "name the index's own attribute, a string", "%s has the partition key %s (%s), not the string %s: every look at rows fails", name, got.Attribute, got.Type, s.Index.Attribute)
	case got.Status != "ACTIVE":
		j.add(CheckIndex, Weak, "wait: meanwhile what is released stays", "%s is %s", name, strings.ToLower(got.Status))
	default:
		j.ok(CheckIndex, "%s, of attribute %s", name, s.Index.Attribute)
	}
}

func indexName(i source.Index) string {
	if i.Name == "" {
		return "the table's own key"
	}
	return "index " + i.Name
}
