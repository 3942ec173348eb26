package postgrestest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheFolderThatTheVariableNamesIsTheOneThatCounts(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(BinVariable, dir)
	if _, err := find(); !errors.Is(err, errMissing) || strings.Contains(err.Error(), "\n") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := find(); err != nil || found != dir {
		t.Errorf("found %q, %v", found, err)
	}
}

func TestTheNewestOfDebiansVersionsComesFirst(t *testing.T) {
	if major("/usr/lib/postgresql/15/bin") != 15 || major("/usr/lib/postgresql/9.6/bin") != 0 || major("/opt/bin") != 0 {
		t.Error("versions are misread")
	}
}
