package meter

import "encoding/base64"

// item is one item as it goes over the wire: attributes by name, each a value
// under the letter of its type.
type item map[string]value

type value struct {
	S    *string
	N    *string
	B    *string // base64
	L    []value
	M    item
	SS   []string
	NS   []string
	BS   []string
	BOOL *bool
	NULL *bool
}

func (it item) text(name string) string {
	if s := it[name].S; s != nil {
		return *s
	}
	return ""
}

// size is what DynamoDB counts, rounded up in numbers
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
func (it item) size() int {
	total := 0
	for name, v := range it {
		total += len(name) + v.size()
	}
	return total
}

func (v value) size() int {
	switch {
	case v.S != nil:
		return len(*v.S)
	case v.N != nil:
		return len(*v.N)/2 + 2
	case v.B != nil:
		return base64.StdEncoding.DecodedLen(len(*v.B))
	case v.M != nil:
		return 3 + len(v.M) + v.M.size()
	case v.L != nil:
		total := 3
		for _, of := range v.L {
			total += 1 + of.size()
		}
		return total
	}
	total := 0
	for _, set := range [][]string{v.SS, v.NS, v.BS} {
		for _, s := range set {
			total += len(s)
		}
	}
	return max(1, total) // true, false, null
}
