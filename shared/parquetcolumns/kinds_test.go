package parquetcolumns_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

// TestColumnsOfAnyType: a footer may annotate a column with anything, such as a
// list of nothing. It is not read then, and the others are: nothing panics.
func TestColumnsOfAnyType(t *testing.T) {
	annotations := []format.SchemaElement{{}, {NumChildren: thrift.New(int32(0))}}
	for _, member := range (*format.LogicalType)(nil).UnionMembers() {
		value := member.(format.LogicalTypeValue)
		annotations = append(annotations, format.SchemaElement{LogicalType: format.LogicalType{Value: value}})
	}
	for c := deprecated.UTF8; c <= deprecated.Interval; c++ {
		annotations = append(annotations, format.SchemaElement{ConvertedType: thrift.New(c)})
	}
	for _, column := range annotations {
		for kind := format.Boolean; kind <= format.FixedLenByteArray; kind++ {
			for _, repeated := range []format.FieldRepetitionType{format.Required, format.Optional, format.Repeated} {
				column.Type, column.RepetitionType = thrift.New(kind), thrift.New(repeated)
				wantOpened(t, column)
			}
		}
	}
}

func wantOpened(t *testing.T, column format.SchemaElement) {
	t.Helper()
	column.Name = "any"
	text := format.SchemaElement{Name: "text", Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Optional)}
	footer := marshaled(t, &format.FileMetaData{
		Version: 2, Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(2))}, column, text},
	})
	file := binary.LittleEndian.AppendUint32(append([]byte("PAR1"), footer...), uint32(len(footer)))
	f, err := parquetcolumns.Open(bytes.NewReader(append(file, "PAR1"...)))
	if err != nil {
		return // such a footer says so
	}
	if got := f.Names(); len(got) != 2 || got[1] != "text" {
		t.Fatalf("%v: the columns are %q", &column, got)
	}
	if got := fmt.Sprint(f.Kind(1)); got != fmt.Sprint(parquetcolumns.Bytes) {
		t.Fatalf("%v: the column beside it is of kind %s", &column, got)
	}
}
