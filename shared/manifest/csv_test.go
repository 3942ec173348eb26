package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestACSVListSaysWhatItsCellsSay(t *testing.T) {
	const at = 1_793_494_800_000 // 2026-11-01T01:00:00Z
	long := strings.Repeat("k", 1_000_000)
	for name, c := range map[string]struct {
		list string
		want []kept
	}{
		"every column, in another order, with others between": {
			"upload,state,x,recorded_at,etag,key,size,tenant,version_id,bucket,y\n" +
				"u,live,?,2026-11-01T01:00:00Z,e,k,0,t,v,b,?\n" +
				"u2,deleted,,2026-11-01T03:00:00.5+02:00,\"\"\"e2\"\"\",k2,7,t2,v2,b2,\n",
			[]kept{
				{Bucket: "b", Key: "k", Version: "v", ETag: "e", Size: 0, At: at, Tenant: "t", Upload: "u"},
				{Bucket: "b2", Key: "k2", Version: "v2", ETag: "e2", Size: 7, At: at + 500, State: Deleted, Tenant: "t2", Upload: "u2", Number: 1},
			},
		},
		"empty cells are absent": {
			"bucket,key,version_id,size,etag,recorded_at,state,tenant,upload,key_base64\nb,k,,,,,,,,\nb,k,\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n",
			[]kept{plain("k", 0), plain("k", 1)},
		},
		"names in capitals are the same": {
			"Bucket,KEY,State\nb,k,deleted\n", []kept{{Bucket: "b", Key: "k", Size: NoSize, At: NoTime, State: Deleted}},
		},
		"keys are literal": {
			"bucket,key\nb,a%20b+c%2F\nb, x \n", []kept{plain("a%20b+c%2F", 0), plain(" x ", 1)},
		},
		"carriage returns end lines too": {
			"bucket,key\r\nb,k\r\nb,\"k2\"\r\n", []kept{plain("k", 0), plain("k2", 1)},
		},
		"the last line needs no end":         {"bucket,key\nb,k", []kept{plain("k", 0)}},
		"the last line needs no end, quoted": {"bucket,key\nb,\"k\"", []kept{plain("k", 0)}},
		"blank lines are none":               {"\n\r\nbucket,key\n\nb,k\n\r\n\n", []kept{plain("k", 0)}},
		"a byte order mark is none":          {"\ufeffbucket,key\nb,k\n", []kept{plain("k", 0)}},
		"quotes hold commas, quotes and lines": {
			"bucket,key\nb,\"a,b\"\nb,\"\"\"a\"\"\"\nb,\"a\nb\r\n\nc\"\n\"b\",\"\"\"\"\nb,k\n",
			[]kept{plain("a,b", 0), plain(`"a"`, 1), plain("a\nb\r\n\nc", 2), plain(`"`, 3), plain("k", 4)},
		},
		"a quoted column name": {"\"bucket\",\"key\"\nb,k\n", []kept{plain("k", 0)}},
		"other bytes as base64": {
			"bucket,key,key_base64\nb,,/wBh\nb,k,\n", []kept{plain("\xff\x00a", 0), plain("k", 1)},
		},
		"no entries":         {"bucket,key\n", nil},
		"a line of 1,000 kB": {"bucket,key\nb," + long + "\nb,k\n", []kept{plain(long, 0), plain("k", 1)}},
		"the null version":   {"bucket,key,version_id\nb,k,null\n", []kept{{Bucket: "b", Key: "k", Version: "null", Size: NoSize, At: NoTime}}},
	} {
		t.Run(name, func(t *testing.T) {
			for file, data := range map[string][]byte{
				"l.csv": []byte(c.list), "l.csv.gz": zip(t, []byte(c.list)), "L.CSV": zip(t, []byte(c.list)), "list": []byte(c.list),
				"members.csv.gz": append(zip(t, []byte(c.list[:5])), zip(t, []byte(c.list[5:]))...),
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

// A list that is read past what is wrong with it has fewer entries, or others:
// objects that are needed would be orphans.
func TestACSVListThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	const head = "bucket,key,key_base64,size,recorded_at,state\n"
	for name, c := range map[string]struct{ list, want string }{
		"no bytes":                     {"", "read key list 1: it is empty"},
		"only blank lines":             {"\n\n", "read key list 1, line 3: it is empty"},
		"no bucket":                    {"key,Size\nk,1\n", `line 1: the columns are "key", "Size": bucket is needed, and key or key_base64`},
		"no key":                       {"bucket,name\nb,k\n", `line 1: the columns are "bucket", "name": bucket`},
		"no names at all":              {"b,secret/key\n", `line 1: the columns are 2, none of them with a name that is known: bucket is needed`},
		"a column twice":               {"bucket,key,KEY\nb,k,k\n", "line 1: two columns are named key"},
		"an empty bucket":              {head + ",k,,,,\n", "line 2: bucket is empty"},
		"an empty key":                 {head + "b,,,,,\n", "line 2: key is empty"},
		"two keys":                     {head + "b,k,/wBh,,,\n", "line 2: both key and key_base64"},
		"base64 that is none":          {head + "b,,***,,,\n", "line 2: key_base64 is not base64"},
		"base64 without its padding":   {head + "b,,YQ,,,\n", "line 2: key_base64 is not base64"},
		"base64 over two lines":        {head + "b,,\"YW\nJj\",,,\n", "line 2: key_base64 is not base64"},
		"a size with a sign":           {head + "b,k,,-1,,\n", "line 2: size is not a whole number"},
		"a size with a fraction":       {head + "b,k,,1.0,,\n", "line 2: size is not a whole number"},
		"a size beyond all":            {head + "b,k,,9999999999999999999,,\n", "line 2: size is not a whole number"},
		"an instant without offset":    {head + "b,k,,,2026-11-01T01:00:00,\n", "line 2: recorded_at is no instant"},
		"an instant as a number":       {head + "b,k,,,1793494800,\n", "line 2: recorded_at is no instant"},
		"a state of another kind":      {head + "b,k,,,,Deleted\n", "line 2: state is neither live nor deleted"},
		"a cell too few":               {head + "b,k,,,\n", "line 2: it has 5 cells, the first line names 6"},
		"a cell too many":              {head + "b,k,,,,,\n", "line 2: it has 7 cells, the first line names 6"},
		"a comma in an unquoted key":   {"bucket,key\nb,secret,key\n", "line 2: it has 3 cells"},
		"a quote in an unquoted key":   {"bucket,key\nb,a\"b\"c\n", "line 2: a cell that is not quoted holds a quote"},
		"a quote that is not closed":   {"bucket,key\nb,k\nb,\"secret\nb,k\n", "line 3: a quoted cell is not closed"},
		"text behind a quoted cell":    {"bucket,key\nb,\"a\" \n", "line 2: a quoted cell goes on behind"},
		"a key in another encoding":    {"bucket,key\nb,r\xe9sum\xe9\n", "line 2: key is not UTF-8"},
		"a list in UTF-16":             {"\xff\xfeb\x00u\x00\n", "line 1: the columns are"},
		"a line that never ends":       {"bucket,key\nb," + strings.Repeat("k", maxLine) + "\n", "line 2: the line is longer"},
		"a line without an end":        {"bucket,key\nb," + strings.Repeat("k", maxLine), "line 2: the line is longer"},
		"a quote that goes on for MBs": {"bucket,key\nb,\"" + strings.Repeat("k\n", maxLine/2) + "\n", "line 2: the line is longer"},
		"the place after quoted lines": {"bucket,key\nb,\"a\n\nb\"\n\nb,\n", "line 6: key is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t.Context(), shelf{"l.csv": []byte(c.list)}, "l.csv")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want …%s…", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error names a key: %v", err)
			}
		})
	}
}
