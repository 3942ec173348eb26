package listing

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/objects"
)

var began = time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)

// bucket is a store that lists what it is told to, and then fails if told to.
type bucket struct {
	versions []objects.Version
	fails    error
}

func (b bucket) Versions(context.Context, string, string) iter.Seq2[objects.Version, error] {
	return func(yield func(objects.Version, error) bool) {
		for _, v := range b.versions {
			if !yield(v, nil) {
				return
			}
		}
		if b.fails != nil {
			yield(objects.Version{}, b.fails)
		}
	}
}

var stood = []objects.Version{
	{Key: "a b+c/é", VersionID: "v2", Latest: true, Size: 7, ETag: "e1", LastModified: began.Add(-time.Hour)},
	{Key: "a b+c/é", VersionID: "null", Size: 0, ETag: "e2", LastModified: began.Add(-2 * time.Hour)},
	{Key: "gone", VersionID: "m1", Latest: true, Marker: true, LastModified: began.Add(-3 * time.Hour)},
	{Key: "bad\xff", VersionID: "v3", Latest: true, Size: 1, ETag: "e3", LastModified: began},
}

func options(t *testing.T, format string) Options {
	return Options{Bucket: "b", Out: filepath.Join(t.TempDir(), "new", "inv"), Format: format, Config: "daily", Now: func() time.Time { return began }}
}

func TestWhatIsWrittenReadsAsTheBucketStands(t *testing.T) {
	for _, format := range []string{"csv", "Parquet"} {
		t.Run(format, func(t *testing.T) {
			w, err := Write(t.Context(), bucket{versions: stood}, options(t, format))
			if err != nil || w.Versions != 4 {
				t.Fatalf("%d versions, %v", w.Versions, err)
			}
			files, key, err := inventory.Local(w.Manifest)
			if err != nil {
				t.Fatal(err)
			}
			r, err := inventory.Open(t.Context(), files, key, inventory.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if m := r.Manifest(); m.SourceBucket != "b" || !m.Created.Equal(began) {
				t.Errorf("of bucket %q, begun %v", m.SourceBucket, m.Created)
			}
			var got []objects.Version
			for row, err := range r.Rows(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				size := row.Size
				if row.Marker == inventory.Yes && size == inventory.NoSize {
					size = 0
				}
				got = append(got, objects.Version{
					Key: string(row.Key), VersionID: string(row.VersionID), Latest: row.Latest == inventory.Yes,
					Marker: row.Marker == inventory.Yes, Size: size, ETag: string(row.ETag), LastModified: time.UnixMilli(row.LastModified).UTC(),
				})
			}
			if !slices.Equal(got, stood) {
				t.Errorf("read\n%v, expected\n%v", got, stood)
			}
		})
	}
}

// The files name objects: others on the machine must not read them.
func TestFilesAndFoldersAreTheirOwnersAlone(t *testing.T) {
	o := options(t, "csv")
	if _, err := Write(t.Context(), bucket{versions: stood}, o); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(o.Out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Half a list would make everything behind its end look missing.
func TestAListingThatBreaksOffLeavesNoInventory(t *testing.T) {
	o := options(t, "csv")
	_, err := Write(t.Context(), bucket{versions: stood, fails: errors.New("no answer")}, o)
	if err == nil || !strings.Contains(err.Error(), "bucket b: no answer") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(o.Out); len(left) != 0 {
		t.Errorf("there is %v", left)
	}
}

func TestASecondInventoryOfTheSameMinuteIsRefusedAndTheFirstStays(t *testing.T) {
	o := options(t, "csv")
	w, err := Write(t.Context(), bucket{versions: stood}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), bucket{versions: stood[:1]}, o); err == nil || !strings.Contains(err.Error(), "this minute already") {
		t.Errorf("%v", err)
	}
	if _, _, err := inventory.Local(w.Manifest); err != nil {
		t.Errorf("the first one: %v", err)
	}
}

func TestWhatCannotBeMeantIsRefusedBeforeTheStoreIsAsked(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"--bucket": func(o *Options) { o.Bucket = "" },
		"--out":    func(o *Options) { o.Out = "" },
		"--format": func(o *Options) { o.Format = "orc" },
		"--config": func(o *Options) { o.Config = "../up" },
	} {
		o := options(t, "csv")
		change(&o)
		if _, err := Write(t.Context(), nil, o); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
