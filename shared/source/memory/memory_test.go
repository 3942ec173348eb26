package memory_test

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/memory"
	"github.com/strandline-dev/strandline/shared/source/sourcetest"
)

func TestTablesInMemoryAnswerAsTablesDo(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sourcetest.Stage {
		var all memory.Tables
		all.Create("orders", []string{"id", "part"}, map[string]string{"by-photo": "photo"})
		return sourcetest.Stage{
			Tables: &all, Table: "orders",
			Put:    func(_ *testing.T, row source.Row) { all.Put("orders", row) },
			Delete: func(_ *testing.T, keys source.Row) { all.Delete("orders", keys) },
		}
	})
}

func TestARowThatIsReplacedOrDeletedIsTheOldImage(t *testing.T) {
	var all memory.Tables
	all.Create("orders", []string{"id"}, nil)
	if old := all.Put("orders", source.Row{"id": "1", "photo": "a"}); old != nil {
		t.Errorf("before the first there was %v", old)
	}
	if old := all.Put("orders", source.Row{"id": "1", "photo": "b"}); old["photo"] != "a" {
		t.Errorf("replaced %v", old)
	}
	if old := all.Delete("orders", source.Row{"id": "1"}); old["photo"] != "b" {
		t.Errorf("deleted %v", old)
	}
	if old := all.Delete("orders", source.Row{"id": "1"}); old != nil {
		t.Errorf("deleted %v twice", old)
	}
}
