package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a folder to write an inventory into.
func Folder(root string) Sink { return folderSink{root: root} }

type folderSink struct{ root string }

func (s folderSink) path(key string) (string, error) {
	name, err := localName(key)
	return filepath.Join(s.root, name), err
}

func (s folderSink) Exists(_ context.Context, key string) (bool, error) {
	name, err := s.path(key)
	if err != nil {
		return false, err
	}
	_, err = os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, withoutPath(err)
}

// Put writes beside the name and renames, so that nobody sees half a file.
func (s folderSink) Put(_ context.Context, key string, body io.ReadSeeker, size int64) error {
	name, err := s.path(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return withoutPath(err)
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".unfinished-*")
	if err != nil {
		return withoutPath(err)
	}
	n, err := io.Copy(temp, body)
	err = errors.Join(err, temp.Close())
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes to write, not the %d announced", n, size)
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name()) //nolint:errcheck // it is the first error that counts
		return withoutPath(err)
	}
	return nil
}

// Remove takes a file away, and the folders that are empty without it.
func (s folderSink) Remove(_ context.Context, key string) error {
	name, err := s.path(key)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return withoutPath(err)
	}
	for up := filepath.Dir(name); up != filepath.Clean(s.root); up = filepath.Dir(up) {
		if os.Remove(up) != nil {
			break
		}
	}
	return nil
}
