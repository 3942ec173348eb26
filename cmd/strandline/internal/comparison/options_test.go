package comparison

import (
	"math"
	"strings"
	"testing"
	"time"
)

func complete() Options {
	o := Defaults()
	o.Inventory, o.Manifests, o.ManifestTime, o.Threads = "manifest.json", []string{"keys.csv"}, "2026-11-29T12:00:00Z", 1
	return o
}

func TestTheDefaultsAreThePolicys(t *testing.T) {
	o := complete()
	at, err := o.check()
	if err != nil || !at.Equal(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", at, err)
	}
	if o.OrphanGrace != 168*time.Hour || o.Settle != 48*time.Hour || o.MaxInventoryAge != 96*time.Hour || o.MaxOrphanPercent != 25 {
		t.Errorf("%+v", o)
	}
}

// Each of these would give a report that is not about what the user thinks: a
// grace of zero calls what was written a moment ago an orphan.
func TestWhatCannotBeMeantIsRefusedAndNamed(t *testing.T) {
	for says, change := range map[string]func(*Options){
		"--inventory is not given":              func(o *Options) { o.Inventory = "" },
		"--manifest is not given":               func(o *Options) { o.Manifests = nil },
		"--manifest-time is not given":          func(o *Options) { o.ManifestTime = "" },
		`--manifest-time is "2026-11-29 12:00"`: func(o *Options) { o.ManifestTime = "2026-11-29 12:00" },
		"--orphan-grace is 0s":                  func(o *Options) { o.OrphanGrace = 0 },
		"--orphan-grace is -1h":                 func(o *Options) { o.OrphanGrace = -time.Hour },
		"--orphan-grace is 5m":                  func(o *Options) { o.OrphanGrace = 5 * time.Minute },
		"--orphan-grace is 23h59m":              func(o *Options) { o.OrphanGrace = 24*time.Hour - time.Minute },
		"--settle is -1s":                       func(o *Options) { o.Settle = -time.Second },
		"--max-inventory-age is 0s":             func(o *Options) { o.MaxInventoryAge = 0 },
		"--max-orphan-percent is 101":           func(o *Options) { o.MaxOrphanPercent = 101 },
		"--max-orphan-percent is NaN":           func(o *Options) { o.MaxOrphanPercent = math.NaN() },
		"--memory is 10.0 MB":                   func(o *Options) { o.Memory = 10e6 },
		"--memory is 1.60 TB":                   func(o *Options) { o.Memory = 16e11 },
		"--threads is 0":                        func(o *Options) { o.Threads = 0 },
		"--threads is 257":                      func(o *Options) { o.Threads = 257 },
		`--tmp is "nowhere"`:                    func(o *Options) { o.TempDir = "nowhere" },
		`--tmp is "options_test.go"`:            func(o *Options) { o.TempDir = "options_test.go" },
		"--all is of no use":                    func(o *Options) { o.All = true },
	} {
		o := complete()
		change(&o)
		if _, err := o.check(); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestPlacesAreReadAsThePersonMeansThem(t *testing.T) {
	for text, want := range map[string]location{
		"a/b.csv":             {path: "a/b.csv"},
		"./a//b.csv":          {path: "a/b.csv"},
		"/a/b.csv":            {path: "/a/b.csv"},
		"s3://bucket/a/b.csv": {bucket: "bucket", key: "a/b.csv"},
		"s3://bucket/a//b":    {bucket: "bucket", key: "a//b"},
	} {
		if got, err := locate("--manifest", text); err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"s3://", "s3://bucket", "s3://bucket/", "s3:///key", "s3://bucket/folder/", "https://host/a", "S3://b/k"} {
		if got, err := locate("--manifest", text); err == nil || !strings.HasPrefix(err.Error(), "--manifest is ") {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
}

// Its entries would own their objects twice.
func TestAListThatIsGivenTwiceIsRefused(t *testing.T) {
	if _, err := locateAll([]string{"a.csv", "b.csv", "./a.csv"}); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("%v", err)
	}
}
