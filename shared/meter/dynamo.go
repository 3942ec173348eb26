package meter

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/strandline-dev/strandline/shared/schema"
)

// The rules of units are those of
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html:
// a write costs one unit for each KB of the larger of the old and the new item,
// twice that in a transaction, also if its condition fails; an index costs a
// unit for an entry that comes or goes, two for one that moves. A consistent
// read costs one unit for 4 KB, another half of that; of a query the sum of its
// items counts.

// stored is what the meter knows of the items: what it has seen written or read.
// Of an item that was there before, and was never read, the new size counts.
type stored map[string]seen

type seen struct {
	bytes int
	due   string // its entry in the due index
	kind  string
}

// request is what the operations that are used have in common.
type request struct {
	TableName      string
	IndexName      string
	ConsistentRead bool
	Key, Item      item
	// ExpressionAttributeValues has a query's partition.
	ExpressionAttributeValues item
	RequestItems              map[string]struct {
		Keys           []item
		ConsistentRead bool
	}
	TransactItems []struct{ Put, Update, Delete, ConditionCheck *request }
}

type response struct {
	Item, Attributes item
	Items            []item
	Responses        map[string][]item
	UnprocessedKeys  map[string]struct{ Keys []item }
}

func parse(body, said []byte) (in request, out response) {
	_ = json.Unmarshal(body, &in) // what is none asks for nothing,
	_ = json.Unmarshal(said, &out)
	return in, out // and gets nothing
}

func subjectOfDynamo(body []byte) string {
	in, _ := parse(body, nil)
	if in.IndexName != "" {
		return in.IndexName
	}
	from := []item{in.Key, in.Item}
	for _, w := range in.TransactItems {
		for _, r := range []*request{w.Put, w.Update, w.Delete, w.ConditionCheck} {
			if r != nil {
				from = append(from, r.Key, r.Item)
			}
		}
	}
	for _, asked := range in.RequestItems {
		from = append(from, asked.Keys...)
	}
	for _, it := range from {
		if pk := it.text(schema.PartitionKey); pk != "" {
			return kindOf(pk)
		}
	}
	return kindOf(in.ExpressionAttributeValues.text(":pk"))
}

func kindOf(pk string) string {
	kind, _, _ := strings.Cut(pk, "#")
	return kind
}

func (m *Meter) weighDynamo(operation string, body, said []byte, status int) Count {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored == nil {
		m.stored = stored{}
	}
	in, out := parse(body, said)
	ok := accepted(status)
	if !ok && !bytes.Contains(said, []byte("ConditionalCheckFailed")) {
		return Count{} // what was not done, or throttled, is not billed
	}
	switch operation {
	case "GetItem":
		m.stored.learn(in.TableName, out.Item)
		return Count{Items: 1, ReadUnits: readUnits(in.ConsistentRead, out.Item.size())}
	case "BatchGetItem":
		return m.stored.batchGet(in, out)
	case "Query", "Scan":
		return m.stored.query(in, out)
	case "TransactWriteItems":
		return m.stored.transaction(in, ok)
	case "PutItem", "UpdateItem", "DeleteItem":
		return m.stored.write(operation, in, out, ok, 1)
	}
	return Count{}
}

// readUnits are those of one item, or of one query; of nothing as of a byte.
func readUnits(consistent bool, bytes int) float64 {
	units := float64(max(1, (bytes+4095)/4096))
	if consistent {
		return units
	}
	return units / 2
}

func (s stored) batchGet(in request, out response) Count {
	var n Count
	for table, asked := range in.RequestItems {
		answered := len(asked.Keys) - len(out.UnprocessedKeys[table].Keys)
		n.Items += answered
		for _, it := range out.Responses[table] {
			s.learn(table, it)
			n.ReadUnits += readUnits(asked.ConsistentRead, it.size())
			answered--
		}
		n.ReadUnits += float64(answered) * readUnits(asked.ConsistentRead, 0) // keys of nothing
	}
	return n
}

func (s stored) query(in request, out response) Count {
	total := 0
	for _, it := range out.Items {
		total += it.size()
		if in.IndexName == "" {
			s.learn(in.TableName, it)
		}
	}
	return Count{Items: len(out.Items), ReadUnits: readUnits(in.ConsistentRead, total)}
}

func (s stored) transaction(in request, ok bool) Count {
	var n Count
	for _, w := range in.TransactItems {
		switch {
		case w.Put != nil:
			n = n.Plus(s.write("PutItem", *w.Put, response{}, ok, 2))
		case w.Update != nil:
			n = n.Plus(s.write("UpdateItem", *w.Update, response{}, ok, 2))
		case w.Delete != nil:
			n = n.Plus(s.write("DeleteItem", *w.Delete, response{}, ok, 2))
		case w.ConditionCheck != nil:
			n = n.Plus(s.write("ConditionCheck", *w.ConditionCheck, response{}, false, 2))
		}
	}
	return n
}

// write weighs the write of one item, and remembers the item.
func (s stored) write(operation string, in request, out response, ok bool, times int) Count {
	at := place(in.TableName, in.Key)
	if operation == "PutItem" {
		at = place(in.TableName, in.Item)
	}
	old, is := s[at], seen{}
	switch operation {
	case "PutItem":
		is = seenOf(in.Item)
	case "UpdateItem":
		is = old
		if out.Attributes != nil {
			is = seenOf(out.Attributes)
		}
	}
	if !ok { // what was there is what was looked at
		return Count{Items: 1, WriteUnits: float64(times * kilobytes(old.bytes))}
	}
	index := indexUnits(old.due, is.due)
	s[at] = is
	return Count{
		Items: 1, IndexUnits: index,
		WriteUnits: float64(times*kilobytes(max(old.bytes, is.bytes))) + index,
	}
}

// Stored is how many items of a kind, by their partition key's first part, the
// meter knows of, and what they weigh.
func (m *Meter) Stored(kind string) (items int, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, is := range m.stored {
		if is.kind == kind && is.bytes > 0 {
			items++
			bytes += int64(is.bytes)
		}
	}
	return items, bytes
}

func kilobytes(bytes int) int { return max(1, (bytes+1023)/1024) }

// indexUnits are those of an entry that holds keys only, below a KB.
func indexUnits(was, is string) float64 {
	switch {
	case was == is:
		return 0
	case was == "" || is == "":
		return 1
	}
	return 2
}

func (s stored) learn(table string, it item) {
	if len(it) > 0 {
		s[place(table, it)] = seenOf(it)
	}
}

func place(table string, it item) string {
	return table + " " + it.text(schema.PartitionKey) + " " + it.text(schema.SortKey)
}

func seenOf(it item) seen {
	return seen{bytes: it.size(), due: it.text(schema.DueAt), kind: kindOf(it.text(schema.PartitionKey))}
}
