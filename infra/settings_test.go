//go:build infra

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/infra/strandline"
)

func TestTheContextSaysWhatToDeploy(t *testing.T) {
	s, err := readSettings(map[string]any{
		"strandline:buckets": "acme-uploads/app/, acme-media", "strandline:new-buckets": []any{"acme-new"},
		"strandline:mail": "ops@example.com", "strandline:prefix": "acme", "strandline:policy": "ORPHAN_GRACE=240h,STRANDLINE_MAX_ATTEMPTS=5",
		"strandline:environment": map[string]any{"STRANDLINE_LOG_LEVEL": "debug"}, "@aws-cdk/core:target-partitions": []any{"aws"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []strandline.Bucket{{Name: "acme-uploads", Prefix: "app/"}, {Name: "acme-media"}, {Name: "acme-new", New: true}}
	if d := cmp.Diff(want, s.props.Buckets); d != "" {
		t.Error(d)
	}
	p := s.props.Policy
	if s.stack != "Acme" || p.OrphanGrace != 240*time.Hour || p.MaxAttempts != 5 || p.VisibilityTimeout != 15*time.Minute {
		t.Errorf("stack %s, policy %+v", s.stack, *p)
	}
	if s.props.Environment["STRANDLINE_LOG_LEVEL"] != "debug" || s.architecture() != strandline.ARM64 {
		t.Errorf("environment %v, architecture %s", s.props.Environment, s.architecture())
	}
}

// A mistyped delay that goes unnoticed is found when something is gone.
func TestAContextThatMakesNoSenseIsRefusedInOneLine(t *testing.T) {
	for says, context := range map[string]map[string]any{
		"context key strandline:polcy is unknown":                                {"strandline:polcy": "X=1"},
		"STRANDLINE_ORFAN_GRACE is no value of the policy: see docs/policy.md":   {"strandline:policy": "ORFAN_GRACE=240h"},
		"policy OrphanGrace (STRANDLINE_ORPHAN_GRACE) is 1h0m0s: the floor is":   {"strandline:policy": map[string]any{"ORPHAN_GRACE": "1h"}},
		`context key strandline:policy: "ORPHAN_GRACE" is no NAME=value`:         {"strandline:policy": "ORPHAN_GRACE"},
		"context key strandline:mail: expected text":                             {"strandline:mail": []any{"a", "b"}},
		"context key strandline:buckets: expected names with commas between":     {"strandline:buckets": 7.0},
		`context key strandline:stack is "1st": expected letters, digits and hy`: {"strandline:stack": "1st"},
	} {
		_, err := readSettings(context)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

// written is a file of sources.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sources.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	twoSources = `[{"name":"orders","table":"acme-orders","tenant":"acme","bucket":"acme-uploads","paths":{"url":"photo"}},{"name":"shop","tenant":"acme"}]`
	aStream    = "arn:aws:dynamodb:eu-central-1:123456789012:table/acme-orders/stream/2026-12-01T00:00:00.000"
)

func TestTheContextSaysWhereTheSourcesAre(t *testing.T) {
	s, err := readSettings(map[string]any{"strandline:sources": written(t, twoSources), "strandline:streams": "acme-orders=" + aStream, "strandline:storage-events": "off", "strandline:origins": "https://a.example.com,https://b.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if all := s.props.Sources; len(all) != 2 || all[0].Stream != aStream || all[0].Paths.URL != "photo" || all[1].Name != "shop" || all[1].Stream != "" || !s.props.NoStorageEvents || len(s.props.Origins) != 2 {
		t.Errorf("%+v, storage events off: %v, origins %v", all, s.props.NoStorageEvents, s.props.Origins)
	}
}

// A stream that belongs to nothing is a name that is misspelled: the table's
// rows would go, and their objects stay, and nobody would be told.
func TestSourcesOfTheContextThatMakeNoSenseAreRefusedInOneLine(t *testing.T) {
	for says, context := range map[string]map[string]any{
		`context key strandline:streams: table "acme-order" is of no source`: {"strandline:sources": written(t, twoSources), "strandline:streams": "acme-order=" + aStream},
		"context key strandline:storage-events: expected on or off":          {"strandline:storage-events": false},
		"context key strandline:sources: open ":                              {"strandline:sources": "/no/such/file.json"},
		"context key strandline:sources: sources are not a JSON array":       {"strandline:sources": written(t, `{"name":"orders"}`)},
		"context key strandline:sources: expected the name of a file":        {"strandline:sources": []any{"orders"}},
	} {
		_, err := readSettings(context)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

func TestTheCommandIsPinnedOnceInThreePlaces(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var pinned struct{ DevDependencies map[string]string }
	if err := json.Unmarshal([]byte(read("package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	version := pinned.DevDependencies["aws-cdk"]
	if !strings.Contains(read("../Makefile"), "\nCDK_VERSION := "+version+"\n") || !strings.Contains(read("../docs/deploy.md"), "aws-cdk@"+version) {
		t.Errorf("Makefile or docs/deploy.md have another version than package.json's %s", version)
	}
	// A lock that names a registry would ask for packages there and nowhere else.
	if lock := read("package-lock.json"); strings.Contains(lock, `"resolved"`) || !strings.Contains(lock, `"version": "`+version+`"`) {
		t.Error("package-lock.json names a registry, or another version")
	}
}
