package inventory_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

func millis(s string) int64 {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func TestEdge06RowOfAnotherBucketIsAnError(t *testing.T) {
	rows, err := csvRows(rowText("k") + strings.Replace(rowText("k"), `"b"`, `"other"`, 1) + rowText("k"))
	if err == nil || len(rows) != 1 || !strings.Contains(err.Error(), "row 2 is of another bucket") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// Without this an absent column reads as "not the latest", "no marker", size 0.
func TestEdge07AbsentColumnsAreUnknown(t *testing.T) {
	rows, err := read(inventoryOf(inventory.CSV, "Key, Bucket", zipped(`"k","b"`+"\n")))
	want := []inventory.Row{{Bucket: []byte("b"), Key: []byte("k"), Size: inventory.NoSize, LastModified: inventory.NoTime}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Without the error a key that is not the object's is compared.
func TestEdge08BadEscapeIsAnErrorWithFileAndRow(t *testing.T) {
	for _, key := range []string{"a%", "a%4", "a%zz", "a%2", "%", "a%%", "%0g", "%/0", "%:0", "%@0", "%G0", "%`0", "%g0"} {
		rows, err := csvRows(rowText("k") + rowText(key))
		if err == nil || len(rows) != 1 || !strings.Contains(err.Error(), "file 1 of the inventory's 1: row 2: ") || strings.Contains(err.Error(), key+`"`) {
			t.Errorf("%q: %d rows, %v", key, len(rows), err)
		}
	}
}

func TestEdge09KeysOfCSVAreDecodedExactlyOnce(t *testing.T) {
	for written, key := range map[string]string{
		"a+b": "a b", "a%2Bb": "a+b", "a%2bb": "a+b", "a%2520b": "a%20b", "a%252Bb": "a%2Bb", "%7Etilde": "~tilde", "a/b": "a/b", "~": "~",
		"%C3%A9": "é", "%E6%97%A5%E6%9C%AC": "日本", "%25": "%", "%3C%3E%26%22%27": `<>&"'`, "k%09": "k\t", "a%2Cb": "a,b", "a%0Ab": "a\nb", "é": "é",
	} {
		rows, err := csvRows(rowText(written))
		if err != nil || string(rows[0].Key) != key {
			t.Errorf("%q: %v, %v", written, rows, err)
		}
	}
}

func TestEdge10KeysMayHaveAnyBytes(t *testing.T) {
	var all []byte
	var written strings.Builder
	for i := range 256 {
		all = append(all, byte(i))
		written.WriteString("%" + string("0123456789ABCDEF"[i>>4]) + string("0123456789ABCDEF"[i&15]))
	}
	rows, err := csvRows(rowText(written.String()) + rowText("\xff\x00\xfe"))
	if err != nil || !bytes.Equal(rows[0].Key, all) || string(rows[1].Key) != "\xff\x00\xfe" {
		t.Errorf("%v, %v", err, rows)
	}
}

// Without this the version of a bucket's time before versioning matches nobody.
func TestEdge11EmptyVersionIsTheNullVersion(t *testing.T) {
	line := func(v string) string { return strings.Replace(rowText("k"), `"v"`, v, 1) }
	rows, err := csvRows(line(`""`) + line(``) + line(`"null"`) + line(`"v1"`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"null", "null", "null", "v1"} {
		if string(rows[i].VersionID) != want {
			t.Errorf("row %d: %q", i+1, rows[i].VersionID)
		}
	}
}

func TestEdge12And13DeleteMarkerHasNoSize(t *testing.T) {
	rows, err := csvRows(`"b","k","v","true","true","","2024-05-06T22:46:14.000Z","",""` + "\n" + `"b","k","w","false","false","","2024-05-06T22:46:14.000Z","",""` + "\n")
	if err != nil || len(rows) != 2 {
		t.Fatal(err)
	}
	if r := rows[0]; r.Marker != inventory.Yes || r.Latest != inventory.Yes || r.Size != inventory.NoSize || len(r.ETag) > 0 || r.LastModified != millis("2024-05-06T22:46:14Z") {
		t.Errorf("marker: %+v", r)
	}
	if r := rows[1]; r.Marker != inventory.No || r.Size != inventory.NoSize {
		t.Errorf("object without size: %+v", r)
	}
}

func TestEdge15ListOfCurrentVersionsHasNoVersionID(t *testing.T) {
	rows, err := read(inventoryOf(inventory.CSV, "Bucket, Key, Size", zipped(`"b","k","7"`+"\n")))
	if err != nil || len(rows[0].VersionID) > 0 || rows[0].Size != 7 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestEdge16And17And18RowsComeAsTheyAreWritten(t *testing.T) {
	rows, err := csvRows(rowText("z/") + rowText("a") + rowText("m") + rowText("a"))
	if err != nil || len(rows) != 4 {
		t.Fatal(err)
	}
	for i, want := range []string{"z/", "a", "m", "a"} {
		if string(rows[i].Key) != want || rows[i].Number != int64(i) {
			t.Errorf("row %d: %+v", i, rows[i])
		}
	}
}

func TestEdge21And22And24WhatIsOddButLegalIsRead(t *testing.T) {
	rows, err := csvRows(`"b","k","v","true","false","7","2030-01-01T00:00:00.000Z","d41d8cd98f00b204e9800998ecf8427e-12","GLACIER"` + "\n")
	if err != nil || rows[0].LastModified != millis("2030-01-01T00:00:00Z") || string(rows[0].ETag) != "d41d8cd98f00b204e9800998ecf8427e-12" {
		t.Errorf("%+v, %v", rows, err)
	}
	rows, err = csvRows(`"b","k","v","true","false","7","","""quoted""","STANDARD"` + "\n")
	if err != nil || string(rows[0].ETag) != "quoted" {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestEdge25WordsInAnyCaseAndFractionsOfAnyLength(t *testing.T) {
	for word, want := range map[string]inventory.Answer{"TRUE": inventory.Yes, "True": inventory.Yes, "false": inventory.No, "FALSE": inventory.No, "": inventory.Unknown} {
		rows, err := csvRows(strings.Replace(rowText("k"), `"true"`, `"`+word+`"`, 1))
		if err != nil || rows[0].Latest != want {
			t.Errorf("%q: %+v, %v", word, rows, err)
		}
	}
	for text, want := range map[string]int64{
		"2024-05-06T22:37:48Z": millis("2024-05-06T22:37:48Z"), "2024-05-06T22:37:48.1Z": millis("2024-05-06T22:37:48.1Z"),
		"2024-05-06T22:37:48.12Z": millis("2024-05-06T22:37:48.12Z"), "2024-05-06T22:37:48.123456789Z": millis("2024-05-06T22:37:48.123Z"),
		"2024-05-06T22:37:48.999999999Z": millis("2024-05-06T22:37:48.999Z"), "2024-05-06T22:37:48.1234Z": millis("2024-05-06T22:37:48.123Z"),
		"2024-02-29T23:59:59Z": millis("2024-02-29T23:59:59Z"), "1969-12-31T23:59:59.999Z": -1, "1970-01-01T00:00:00Z": 0,
		"2024-05-06T22:37:48+00:00": millis("2024-05-06T22:37:48Z"), "2024-05-06T22:37:48.5+02:00": millis("2024-05-06T20:37:48.5Z"), "": inventory.NoTime,
	} {
		rows, err := csvRows(strings.Replace(rowText("k"), "2026-11-01T01:00:00.000Z", text, 1))
		if err != nil || rows[0].LastModified != want {
			t.Errorf("%q: %+v, %v; want %d", text, rows, err, want)
		}
	}
}

func TestEveryDayFrom1960To2109IsItself(t *testing.T) {
	var text strings.Builder
	var want []int64
	for day := time.Date(1960, 1, 1, 12, 34, 56, 789e6, time.UTC); day.Year() < 2110; day = day.AddDate(0, 0, 1) {
		text.WriteString(`"b","k","` + day.Format("2006-01-02T15:04:05.000Z") + "\"\n")
		want = append(want, day.UnixMilli())
	}
	rows, err := read(inventoryOf(inventory.CSV, "Bucket, Key, LastModifiedDate", zipped(text.String())))
	if err != nil || len(rows) != len(want) {
		t.Fatal(len(rows), err)
	}
	for i, r := range rows {
		if r.LastModified != want[i] {
			t.Fatalf("%s is read as %s", time.UnixMilli(want[i]).UTC(), time.UnixMilli(r.LastModified).UTC())
		}
	}
}

// Without these errors a cell that nobody understands becomes size 0, the year
// 1970 or "not a marker", and with it a wrong verdict.
func TestCellThatIsNotWhatItsColumnHoldsIsAnError(t *testing.T) {
	for name, change := range map[string][2]string{
		"negative size": {`"7"`, `"-1"`}, "words for a size": {`"7"`, `"seven"`}, "fraction of a byte": {`"7"`, `"7.5"`}, "spaces": {`"7"`, `" 7"`},
		"size above int64": {`"7"`, `"9223372036854775808"`}, "size far above": {`"7"`, `"99999999999999999999"`}, "hexadecimal": {`"7"`, `"0x7"`},
		"no instant": {"2026-11-01T01:00:00.000Z", "yesterday"}, "month 13": {"2026-11-01", "2026-13-01"}, "month 0": {"2026-11-01", "2026-00-01"},
		"30 February": {"2026-11-01", "2026-02-30"}, "29 February of no leap year": {"2026-11-01", "2026-02-29"}, "29 February 2100": {"2026-11-01", "2100-02-29"},
		"day 0": {"2026-11-01", "2026-11-00"}, "hour 24": {"T01:", "T24:"}, "minute 60": {":00:00.", ":60:00."}, "second 61": {":00.000", ":61.000"},
		"no zone": {".000Z", ".000"}, "dot alone": {".000Z", ".Z"}, "letters in it": {"2026-11-01", "2O26-11-01"}, "ten digits": {".000Z", ".0000000000z"},
		"latest maybe": {`"true"`, `"maybe"`}, "latest 1": {`"true"`, `"1"`}, "marker no": {`"false"`, `"no"`}, "marker null": {`"false"`, `"null"`},
		"no key": {`"k"`, `""`}, "no bucket": {`"b"`, `""`},
	} {
		rows, err := csvRows(rowText("first") + strings.Replace(rowText("k"), change[0], change[1], 1))
		if err == nil || len(rows) != 1 || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
	rows, err := csvRows(strings.Replace(rowText("k"), `"7"`, `"9223372036854775807"`, 1))
	if err != nil || rows[0].Size != math.MaxInt64 {
		t.Errorf("the largest size: %+v, %v", rows, err)
	}
}

func TestEdge30MembersLineEndsAndBlankLinesOfAnyKind(t *testing.T) {
	line := func(k string) string { return strings.TrimSuffix(rowText(k), "\n") }
	want := []string{"1", "2", "3"}
	for name, content := range map[string][]byte{
		"members":                  append(append(zipped(rowText("1")), zipped(rowText("2"))...), zipped(rowText("3"))...),
		"member cut within a row":  append(zipped(rowText("1")+rowText("2")[:20]), zipped(rowText("2")[20:]+rowText("3"))...),
		"an empty member":          append(append(zipped(rowText("1")), zipped("")...), zipped(rowText("2")+rowText("3"))...),
		"CRLF":                     zipped(line("1") + "\r\n" + line("2") + "\r\n" + line("3") + "\r\n"),
		"blank lines":              zipped("\n\r\n" + rowText("1") + "\n\n" + rowText("2") + "\r\n" + rowText("3") + "\r\n\n"),
		"no end of line at last":   zipped(rowText("1") + rowText("2") + line("3")),
		"no quotes":                zipped(strings.ReplaceAll(rowText("1")+rowText("2")+rowText("3"), `"`, "")),
		"no quotes, CRLF":          zipped(strings.ReplaceAll(strings.ReplaceAll(rowText("1")+rowText("2")+rowText("3"), `"`, ""), "\n", "\r\n")),
		"a CR alone at the end":    zipped(rowText("1") + rowText("2") + line("3") + "\r\n"),
		"quotes on some cells":     zipped(rowText("1") + strings.ReplaceAll(rowText("2"), `"2"`, "2") + rowText("3")),
		"an unknown cell of lines": zipped(rowText("1") + strings.Replace(rowText("2"), "STANDARD", "a,b\nc\"\"d", 1) + rowText("3")),
	} {
		rows, err := read(inventoryOf(inventory.CSV, versionsSchema, content))
		var keys []string
		for _, r := range rows {
			keys = append(keys, string(r.Key))
		}
		if diff := cmp.Diff(want, keys); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// Without the error at its end a file that was cut off is a shorter inventory,
// and everything that stood in the rest is missing.
func TestEdge30FileThatIsCutOffFailsWhereverItIsCut(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		text.WriteString(rowText(strings.Repeat("k", i+1)))
	}
	whole := append(zipped(text.String()), zipped(rowText("last"))...)
	first := len(zipped(text.String()))
	for n := range len(whole) {
		rows, err := read(inventoryOf(inventory.CSV, versionsSchema, whole[:n]))
		if n == first { // the first member by itself is a whole file
			if err != nil || len(rows) != 60 {
				t.Errorf("one member: %d rows, %v", len(rows), err)
			}
			continue
		}
		if err == nil {
			t.Errorf("cut after %d of %d bytes: %d rows and no error", n, len(whole), len(rows))
		}
	}
	for name, tail := range map[string]string{"rubbish": "rubbish", "zeros": "\x00\x00\x00\x00"} {
		if _, err := read(inventoryOf(inventory.CSV, versionsSchema, append(bytes.Clone(whole), tail...))); err == nil {
			t.Errorf("%s after the end: no error", name)
		}
	}
	flipped := bytes.Clone(whole)
	flipped[first-6] ^= 1 // the checksum of the first member
	if _, err := read(inventoryOf(inventory.CSV, versionsSchema, flipped)); err == nil {
		t.Error("a wrong CRC: no error")
	}
	if _, err := read(inventoryOf(inventory.CSV, versionsSchema, []byte(rowText("k")))); err == nil {
		t.Error("not zipped: no error")
	}
}

func TestRowOfAnotherShapeIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"a field too few":         `"b","k","v","true","false","7","2026-11-01T01:00:00.000Z","e"` + "\n",
		"a field too many":        strings.Replace(rowText("k"), `"STANDARD"`, `"STANDARD",""`, 1),
		"one word":                "hello\n",
		"cut within quotes":       rowText("k")[:30],
		"text after a quote":      strings.Replace(rowText("k"), `"v"`, `"v"x`, 1),
		"a quote within":          strings.Replace(rowText("k"), `"v"`, `v"w`, 1),
		"CR within":               strings.Replace(rowText("k"), `"v",`, `"v"`+"\r,", 1),
		"two rows in one":         strings.Replace(rowText("k"), "\n", ",", 1) + rowText("k"),
		"names of the columns":    strings.ReplaceAll(versionsSchema, " ", "") + "\n",
		"a row of endless length": `"b","` + strings.Repeat("k", 5<<20),
		"a quote that never ends": `"b","k","v` + strings.Repeat("\n", 5<<20),
		"blank cells":             ",,,,,,,,\n",
	} {
		rows, err := csvRows(rowText("first") + text)
		if err == nil || len(rows) != 1 || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

func TestColumnsInAnyOrderAndUnknownOnes(t *testing.T) {
	schema := "size,NewColumn, IsLatest ,KEY,ETag,bucket,VersionId,IsDeleteMarker,LastModifiedDate,Another"
	rows, err := read(inventoryOf(inventory.CSV, schema, zipped(`"9","?","true","k","e","b","v","false","2026-11-01T01:00:00.000Z","x"`+"\n")))
	want := []inventory.Row{{
		Bucket: []byte("b"), Key: []byte("k"), VersionID: []byte("v"), ETag: []byte("e"), Size: 9,
		LastModified: millis("2026-11-01T01:00:00Z"), Latest: inventory.Yes, Marker: inventory.No,
	}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// The reader's buffer ends somewhere within a row: at every place of a row once.
func TestRowsLongerAndShorterThanTheBufferAreWhole(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 3000 {
		key := strings.Repeat("x", 1+i%517) + "%41"
		text.WriteString(rowText(key))
		want = append(want, strings.Repeat("x", 1+i%517)+"A")
	}
	long := strings.Repeat("y", 1<<20)
	text.WriteString(rowText(long))
	rows, err := csvRows(text.String())
	if err != nil || len(rows) != 3001 || string(rows[3000].Key) != long {
		t.Fatal(len(rows), err)
	}
	for i, w := range want {
		if string(rows[i].Key) != w {
			t.Fatalf("row %d: %q", i, rows[i].Key)
		}
	}
}
