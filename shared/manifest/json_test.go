package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAJSONListSaysWhatItsFieldsSay(t *testing.T) {
	const at = 1_793_494_800_000 // 2026-11-01T01:00:00Z
	for name, c := range map[string]struct {
		list string
		want []kept
	}{
		"every field, with others between": {
			`{"x":{"bucket":["}",{"a":"\"]"}]},"upload":"u","tenant":"t","state":"deleted","recorded_at":"2026-11-01T01:00:00Z",` +
				`"y":[1.5e9,true,null,"\\"],"etag":"\"e\"","size": 7 ,"version_id":"v","key" : "k" , "bucket":"b","z":-0.1}` + "\n",
			[]kept{{Bucket: "b", Key: "k", Version: "v", ETag: "e", Size: 7, At: at, State: Deleted, Tenant: "t", Upload: "u"}},
		},
		"null and empty are absent": {
			`{"bucket":"b","key":"k","version_id":null,"size":null,"etag":"","recorded_at":"","state":"","tenant":null,"upload":null,"key_base64":null}`,
			[]kept{plain("k", 0)},
		},
		"escapes": {
			`{"bucket":"b","key":"\u0041\/\"\\\b\f\n\r\t\u00e9\ud83d\ude00é\u0000 %2B+"}` + "\n" + `{"\u0062ucket":"b","k\u0065y":"k"}`,
			[]kept{plain("A/\"\\\b\f\n\r\té😀é\x00 %2B+", 0), plain("k", 1)},
		},
		"blank lines, spaces, carriage returns, a mark": {
			"\ufeff\n \t\n  { \"bucket\" : \"b\" , \"key\" : \"k\" }  \r\n\r\n{\"bucket\":\"b\",\"key\":\"k2\"}", []kept{plain("k", 0), plain("k2", 1)},
		},
		"other bytes as base64": {`{"bucket":"b","key_base64":"/wBh"}`, []kept{plain("\xff\x00a", 0)}},
		"names in capitals are the same": {
			`{"Bucket":"b","Key":"k"}`, []kept{plain("k", 0)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for file, data := range map[string][]byte{
				"l.jsonl": []byte(c.list), "l.ndjson.gz": zip(t, []byte(c.list)), "list": []byte(c.list), "list.json": []byte(c.list),
			} {
				got, err := read(t.Context(), shelf{file: data}, file)
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", file, diff)
				}
			}
		})
	}
}

// The same as for CSV; a field that is there twice, or text that is not
// Unicode, would pass encoding/json as another entry.
func TestAJSONListThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	const good = `{"bucket":"b","key":"k"}` + "\n"
	for name, c := range map[string]struct{ line, want string }{
		"an array":                    {`["b","secret"]`, "it is no JSON object"},
		"half an object":              {`{"bucket":"b","key":"secret"`, "it is not JSON"},
		"two objects on one line":     {`{"bucket":"b","key":"secret"} {}`, "it is not JSON"},
		"garbage behind":              {`{"bucket":"b","key":"secret"},`, "it is not JSON"},
		"a name without quotes":       {`{bucket:"b"}`, "it is not JSON"},
		"no bucket":                   {`{"key":"secret"}`, "bucket is empty"},
		"no key":                      {`{"bucket":"b"}`, "key is empty"},
		"two keys":                    {`{"bucket":"b","key":"secret","key_base64":"YQ=="}`, "both key and key_base64"},
		"a field twice":               {`{"bucket":"b","key":"secret","key":"secret"}`, "key is there twice"},
		"a field twice, the one null": {`{"bucket":"b","key":"secret","size":null,"size":1}`, "size is there twice"},
		"a field twice, in capitals":  {`{"bucket":"b","key":"secret","Key":"secret"}`, "key is there twice"},
		"a field twice, escaped":      {`{"bucket":"b","key":"secret","\u006bey":"secret"}`, "key is there twice"},
		"a key that is a number":      {`{"bucket":"b","key":7}`, "key is no string"},
		"a key that is a list":        {`{"bucket":"b","key":["secret"]}`, "key is no string"},
		"a size that is text":         {`{"bucket":"b","key":"secret","size":"7"}`, "size is a string"},
		"a size with a fraction":      {`{"bucket":"b","key":"secret","size":7.5}`, "size is not a whole number"},
		"a size with an exponent":     {`{"bucket":"b","key":"secret","size":1e3}`, "size is not a whole number"},
		"a size that is true":         {`{"bucket":"b","key":"secret","size":true}`, "size is not a whole number"},
		"a size that is a list":       {`{"bucket":"b","key":"secret","size":[7]}`, "size is not a whole number"},
		"a negative size":             {`{"bucket":"b","key":"secret","size":-7}`, "size is not a whole number"},
		"an instant as a number":      {`{"bucket":"b","key":"secret","recorded_at":1793494800}`, "recorded_at is no string"},
		"an unknown state":            {`{"bucket":"b","key":"secret","state":"gone"}`, "state is neither"},
		"half a surrogate":            {`{"bucket":"b","key":"secret\ud83d"}`, `an escape \u is half`},
		"half a surrogate and text":   {`{"bucket":"b","key":"secret\ud83d......"}`, `an escape \u is half`},
		"the wrong half":              {`{"bucket":"b","key":"secret\ude00\ud83d"}`, `an escape \u is half`},
		"other bytes":                 {"{\"bucket\":\"b\",\"key\":\"secret\xe9\"}", "it is not UTF-8"},
		"a line that never ends":      {`{"bucket":"b","key":"` + strings.Repeat("k", maxLine) + `"}`, "the line is longer"},
	} {
		t.Run(name, func(t *testing.T) {
			list := shelf{"a.jsonl": []byte(good), "b.jsonl": []byte(good + "\n" + c.line + "\n" + good)}
			_, err := read(t.Context(), list, "a.jsonl", "b.jsonl")
			if err == nil || !strings.Contains(err.Error(), "read key list 2, line 3: "+c.want) {
				t.Errorf("got %v, want …%s…", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error names a key: %v", err)
			}
		})
	}
}
