package source_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/strandline-dev/strandline/shared/source"
)

// An application that writes its rows in a new shape still names what it named:
// {"image":{"key":"a"}} becomes {"image":"a"}. Taken for a row that names
// nothing, the change would release every object of the table.
func TestARowOfAnotherShapeThanItsPathSaysIsUnreadableAndNamesNothingLess(t *testing.T) {
	nested := source.Source{Bucket: "uploads", Tenant: "acme", Paths: source.Paths{
		Key: "images[].file.key", Version: "images[].file.version", Tenant: "owner.tenant",
	}}
	onMap, onList := "expected a map on the way to it", "expected a list on the way to it"
	for text, want := range map[string]string{
		`{"images":"a"}`:                              "images[].file.key: " + onList,
		`{"images":{"file":{"key":"a"}}}`:             "images[].file.key: " + onList,
		`{"images":["a"]}`:                            "images[].file.key: " + onMap,
		`{"images":[{"file":"a"}]}`:                   "images[].file.key: " + onMap,
		`{"images":[{"file":[{"key":"a"}]}]}`:         "images[].file.key: " + onMap,
		`{"images":[{"file":true}]}`:                  "images[].file.key: " + onMap,
		`{"images":[{"file":{"key":["a"]}}]}`:         "images[].file.key: expected a string",
		`{"owner":1,"images":[{"file":{"key":"a"}}]}`: "owner.tenant: " + onMap,
	} {
		_, _, err := nested.Names(row(t, text))
		var u *source.Unreadable
		if !errors.As(err, &u) || err.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
		if !nested.StillNames(row(t, text), source.Object{Bucket: "uploads", Key: "b"}) {
			t.Errorf("%s: a row that an index has found, and that nobody can read, names nothing", text)
		}
	}
}

// The largest item of DynamoDB has 400 KB. Walked through from its beginning for
// each element, one such row holds its shard up for hours.
func TestALongListIsReadInATimeThatGrowsWithItsLength(t *testing.T) {
	s := source.Source{Bucket: "uploads", Paths: source.Paths{Key: "l[].k", Version: "l[].v", Tenant: "l[].t"}}
	list := make([]any, 30_000)
	for i := range list {
		list[i] = map[string]any{"k": fmt.Sprint("k", i), "v": fmt.Sprint("v", i), "t": fmt.Sprint("t", i)}
	}
	var all []source.Named
	var err error
	allocations := testing.AllocsPerRun(1, func() { all, _, err = s.Names(source.Row{"l": list}) })
	if err != nil || len(all) != len(list) {
		t.Fatalf("%d names, %v", len(all), err)
	}
	last := source.Named{Tenant: "t29999", Spelled: "k29999", Object: source.Object{Bucket: "uploads", Key: "k29999", VersionID: "v29999"}}
	if all[29_999] != last {
		t.Errorf("the last is %+v", all[29_999])
	}
	if most := float64(20 * len(list)); allocations > most { // by the square it is a billion
		t.Errorf("%.0f allocations", allocations)
	}
}

// DynamoDB takes a table's ARN for its name, and its streams tell the name: two
// sources would be one table, and neither would be found by its stream.
func TestATableIsCalledByItsNameAlone(t *testing.T) {
	for table, want := range map[string]bool{
		"orders": true, "prod.Orders_v2-eu": true,
		"arn:aws:dynamodb:eu-central-1:123456789012:table/orders": false, "orders ": false, " orders": false, "${Token[TOKEN.12]}": true, "orders/stream": false,
	} {
		s := source.Source{Name: "orders", Table: table, Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "key"}}
		if err := s.Validate(); (err == nil) != want {
			t.Errorf("%q: %v", table, err)
		}
	}
}
