package ledgertest

import (
	"reflect"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// full is a record in which no field, however deep, has its zero value; each
// value is another. A field that is added and not stored makes the round trip
// fail. What is declared decides where an adapter keeps the manifest.
func full(t *testing.T, declared int) upload.Record {
	t.Helper()
	var r upload.Record
	f := filler{t: t}
	f.fill(reflect.ValueOf(&r).Elem())
	r.Schema, r.Version = upload.Schema, 1
	for i := range r.Manifest.Attempts {
		r.Manifest.Attempts[i].Declared = declared + i
	}
	return r
}

type filler struct {
	t *testing.T
	n int
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = start.Add(time.Duration(f.n)*time.Hour + time.Duration(f.n)*time.Millisecond)
		return
	case *upload.State:
		*x = upload.State(1 + f.n%(len(upload.States())-1))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("text " + time.Duration(f.n).String() + " ö#%/")
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint8:
		v.SetUint(uint64(f.n % 256))
	case reflect.Bool:
		v.SetBool(true)
	default:
		f.t.Fatalf("a field of kind %s: say here how to fill it", v.Kind())
	}
}
