package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The slips that exports make. Each of these lists can be read as if it were
// right, and then says that what is owned is an orphan, or that what is deleted
// must stand.
func TestListWithASlipOfItsExportIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, list, says string }{
		"NULL of a database":     {"l.csv", "bucket,key,version_id\nb,secret,NULL\n", "word for nothing"},
		"NULL of PostgreSQL":     {"l.csv", "bucket,key,version_id\nb,secret,\\N\n", "word for nothing"},
		"None of Python":         {"l.csv", "bucket,key,version_id\nb,secret,None\n", "word for nothing"},
		"None of Python in JSON": {"l.jsonl", `{"bucket":"b","key":"secret","version_id":"None"}`, "word for nothing"},
		"NaN as an ETag":         {"l.csv", "bucket,key,etag\nb,secret,NaN\n", "word for nothing"},
		"two lists joined":       {"l.csv", "bucket,key\nb,secret\nbucket,key\nb,k\n", "line 3: it names columns again"},
		"two lists joined, in another order": {
			"l.csv", "bucket,key\nb,secret\nkey,bucket\nk,b\n", "line 3: it names columns again",
		},
		"blanks behind the commas": {"l.csv", "bucket, key, state\nb, secret, deleted\n", "blanks around it"},
		"a state behind a blank":   {"l.csv", "bucket,key, state\nb,secret,deleted\n", "blanks around it"},
		"no names, and a key that looks like one": {
			"l.csv", "b,secret\nb,k\n", "the columns are 2, none of them with a name that is known",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t.Context(), shelf{c.file: []byte(c.list)}, c.file)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error is %v", err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("it names a key: %v", err)
			}
		})
	}
}

func TestColumnsAreKnownHoweverTheirWordsAreParted(t *testing.T) {
	want := []kept{{Bucket: "b", Key: "k", Version: "v", ETag: "e", Size: NoSize, At: NoTime, State: Deleted}}
	for file, list := range map[string]string{
		"l.csv":   "Bucket,Key,versionId,E-Tag,STATE\nb,k,v,e,deleted\n",
		"m.csv":   "bucket,key,Version ID,e_tag,state\nb,k,v,e,deleted\n",
		"l.jsonl": `{"bucket":"b","key":"k","VersionID":"v","eTag":"e","State":"deleted"}`,
	} {
		got, err := read(t.Context(), shelf{file: []byte(list)}, file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	for _, other := range []string{"keys", "ke", "versions", "size_class", "_", "", "upload_ids", "buckets", "statement"} {
		if c := columnOf([]byte(other)); c != noColumn {
			t.Errorf("%q is taken for %s", other, c)
		}
	}
}
