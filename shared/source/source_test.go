package source_test

import (
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/source"
)

const whole = `[
  {"name":"photos","table":"app-photos","bucket":"uploads","paths":{"tenant":"tenant","url":"images[].url","version":"images[].v","entity":"id"},
   "urls":[{"url":"https://cdn.example.com/","bucket":"uploads","prefix":"public/"}],
   "index":{"name":"by-url","attribute":"url","holds":"url"}},
  {"name":"orders"}
]`

func TestSourcesAreReadAndFound(t *testing.T) {
	all, err := source.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := source.ByTable(all, "app-photos"); !ok || s.Name != "photos" {
		t.Errorf("by table: %+v, %v", s, ok)
	}
	if s, ok := source.ByName(all, "orders"); !ok || s.Name != "orders" {
		t.Errorf("by name: %+v, %v", s, ok)
	}
	if _, ok := source.ByTable(all, ""); ok {
		t.Error("an outbox has no table")
	}
	if none, err := source.Parse([]byte(" \n")); none != nil || err != nil {
		t.Errorf("nothing is %v, %v", none, err)
	}
}

func TestASourceThatCannotBeSaysWhich(t *testing.T) {
	table := func(rest string) string {
		return `[{"name":"photos","table":"t","bucket":"b","tenant":"acme",` + rest + `}]`
	}
	for text, want := range map[string]string{
		`{}`:                                   "not a JSON array of sources: where a list of objects is expected there is a JSON object",
		`["orders"]`:                           "there is a JSON string",
		`[`:                                    "the text breaks off",
		`[{"name":"orders",}]`:                 "at byte 19",
		`[{"name":1}]`:                         "name cannot be a JSON number",
		`[{"name":"o","paths":{"key":["k"]}}]`: "paths.key cannot be a JSON array",
		`[] []`:                                "something follows",
		`[{"name":"orders","tabel":1}]`:        `: unknown field "tabel"`,
		`[{"name":"Orders"}]`:                  "name: expected",
		`[{"name":"a"},{"name":"a"}]`:          "another's too",
		`[{"name":"a","paths":{"key":"k"}}]`:   "paths without a table",
		`[{"name":"a","index":{"attribute":"k","holds":"key"}}]`:                                      "index without a table",
		`[{"name":"a","urls":[{"url":"https://cdn.example.com","bucket":"b"}]}]`:                      `"/" at the end`,
		`[{"name":"a","urls":[{"url":"https://cdn.example.com/","bucket":""}]}]`:                      "bucket: needed",
		`[{"name":"a","urls":[{"url":"https://c/","bucket":"b"},{"url":"https://C/","bucket":"c"}]}]`: "something else before",
		table(`"paths":{}`):                                                   "key or url is needed",
		table(`"paths":{"key":"k","url":"u"}`):                                "both given",
		table(`"paths":{"bucket":"k","url":"u"}`):                             "says its bucket itself",
		table(`"paths":{"key":"a..b"}`):                                       "expected attribute names",
		table(`"paths":{"key":"a[0]"}`):                                       "expected attribute names",
		table(`"paths":{"key":"key","version":"images[].v"}`):                 "in a list",
		table(`"paths":{"key":"images[].k","version":"files[].v"}`):           "in a list",
		table(`"paths":{"key":"images[].k","entity":"images[].id"}`):          "one name",
		table(`"paths":{"key":"k"},"index":{"attribute":"k","holds":"keys"}`): "holds",
		`[{"name":"a","table":"t","tenant":"x","paths":{"key":"k"}}]`:         "bucket: needed where the rows hold a key",
		`[{"name":"a","table":"t","tenant":"x","paths":{"url":"u"}}]`:         "bucket: needed where the rows hold URLs",
		`[{"name":"a","table":"t","bucket":"x","paths":{"key":"k"}}]`:         "tenant: needed",
	} {
		_, err := source.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\n%v\nexpected one line with %q", text, err, want)
		}
	}
}
