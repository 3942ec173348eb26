package inventory_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// answers is a bucket whose gets answer as a test says, one after the other.
type answers struct {
	t     *testing.T
	get   []func(from int64, etag string) (inventory.Object, error)
	asked int
}

func (a *answers) Get(_ context.Context, _ string, from int64, etag string) (inventory.Object, error) {
	if a.asked == len(a.get) {
		a.t.Fatalf("asked %d times", a.asked+1)
	}
	a.asked++
	return a.get[a.asked-1](from, etag)
}

const whole = "0123456789"

// sends answers with the object from the byte asked for, and breaks after n
// more bytes if n is not negative.
func sends(t *testing.T, text, etag string, n int, wantFrom int64, wantETag string) func(int64, string) (inventory.Object, error) {
	return func(from int64, asked string) (inventory.Object, error) {
		if from != wantFrom || asked != wantETag {
			t.Errorf("asked for byte %d on, ETag %q; want %d, %q", from, asked, wantFrom, wantETag)
		}
		var body io.Reader = strings.NewReader(text[from:])
		if n >= 0 {
			body = io.MultiReader(strings.NewReader(text[from:int(from)+n]), iotest.ErrReader(errors.New("connection reset by peer")))
		}
		return inventory.Object{Body: io.NopCloser(body), Size: int64(len(text)), ETag: etag}, nil
	}
}

func openFrom(t *testing.T, get ...func(int64, string) (inventory.Object, error)) (text string, left int, err error) {
	t.Helper()
	temp := t.TempDir()
	f, err := inventory.InBucket(&answers{t: t, get: get}, temp).Open(t.Context(), "k")
	if err == nil {
		var b []byte
		b, err = io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
		text = string(b)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	names, _ := filepath.Glob(filepath.Join(temp, "*"))
	return text, len(names), err
}

func TestFileOfABucketIsFetchedAndRemovedAfterwards(t *testing.T) {
	text, left, err := openFrom(t, sends(t, whole, "e1", -1, 0, ""))
	if text != whole || left != 0 || err != nil {
		t.Errorf("%q, %d files left, %v", text, left, err)
	}
}

// Without asking for the ETag the rest may be that of another object.
func TestBrokenFetchGoesOnWhereItBrokeWithTheSameObjectOnly(t *testing.T) {
	text, left, err := openFrom(t, sends(t, whole, "e1", 3, 0, ""), sends(t, whole, "e1", 4, 3, "e1"), sends(t, whole, "e1", -1, 7, "e1"))
	if text != whole || left != 0 || err != nil {
		t.Errorf("%q, %d files left, %v", text, left, err)
	}
	for name, second := range map[string]func(int64, string) (inventory.Object, error){
		"another ETag":           sends(t, whole, "e2", -1, 3, "e1"),
		"another size":           sends(t, whole+"x", "e1", -1, 3, "e1"),
		"refused, as it changed": func(int64, string) (inventory.Object, error) { return inventory.Object{}, os.ErrInvalid },
	} {
		if text, left, err := openFrom(t, sends(t, whole, "e1", 3, 0, ""), second); err == nil || left != 0 {
			t.Errorf("%s: %q, %d files left, %v", name, text, left, err)
		}
	}
}

// A short body that ends without an error is not the whole file.
func TestShortReadIsNotTheEnd(t *testing.T) {
	short := func(from int64, _ string) (inventory.Object, error) {
		return inventory.Object{Body: io.NopCloser(bytes.NewReader([]byte(whole)[from : from+2])), Size: int64(len(whole)), ETag: "e"}, nil
	}
	text, left, err := openFrom(t, short, short, short, short, short)
	if text != whole || left != 0 || err != nil {
		t.Errorf("five times two bytes: %q, %d files left, %v", text, left, err)
	}
	none := func(int64, string) (inventory.Object, error) {
		return inventory.Object{Body: io.NopCloser(strings.NewReader("")), Size: 10, ETag: "e"}, nil
	}
	if text, left, err := openFrom(t, none, none, none, none, none, none); err == nil || left != 0 {
		t.Errorf("nothing six times: %q, %d files left, %v", text, left, err)
	}
	long := func(int64, string) (inventory.Object, error) {
		return inventory.Object{Body: io.NopCloser(strings.NewReader(whole + "more")), Size: 10, ETag: "e"}, nil
	}
	if text, left, err := openFrom(t, long); err == nil || left != 0 {
		t.Errorf("more than announced: %q, %d files left, %v", text, left, err)
	}
}

func TestInventoryOfABucketIsReadWhole(t *testing.T) {
	k := inventoryOf(inventory.CSV, versionsSchema, zipped(rowText("k")))
	b := bucketOf(k)
	temp := t.TempDir()
	r, err := inventory.Open(t.Context(), inventory.InBucket(b, temp), keptManifest, inventory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rows := allRows(t, r); len(rows) != 1 || r.Seekable() {
		t.Errorf("%v", rows)
	}
	if left := below(t, temp); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}

type bucketOf kept

func (b bucketOf) Get(_ context.Context, key string, from int64, _ string) (inventory.Object, error) {
	content, ok := b[key]
	if !ok {
		return inventory.Object{}, os.ErrNotExist
	}
	return inventory.Object{Body: io.NopCloser(bytes.NewReader(content[from:])), Size: int64(len(content)), ETag: "e"}, nil
}
