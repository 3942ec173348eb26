package comparison

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// sources opens files wherever the user said they are. Buckets are asked for
// only if one was named, so that a folder needs no AWS.
type sources struct {
	// buckets opens a bucket's files; set by whoever knows AWS.
	buckets func(ctx context.Context, bucket string) (inventory.Files, error)
	opened  map[string]inventory.Files
}

func (s *sources) bucket(ctx context.Context, name string) (inventory.Files, error) {
	if files, ok := s.opened[name]; ok {
		return files, nil
	}
	files, err := s.buckets(ctx, name)
	if err == nil {
		s.opened[name] = files
	}
	return files, err
}

func (s *sources) openInventory(ctx context.Context, where location) (inventory.Reader, error) {
	files, key := inventory.Files(nil), where.key
	var err error
	if where.remote() {
		files, err = s.bucket(ctx, where.bucket)
	} else {
		files, key, err = local(where.path)
	}
	if err != nil {
		return nil, err
	}
	return inventory.Open(ctx, files, key, inventory.Options{})
}

func local(path string) (inventory.Files, string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, "", fmt.Errorf("--inventory %s is a folder: name the manifest.json in it", path)
	}
	return inventory.Local(path)
}

// openLists opens the key lists, each wherever it is.
func (s *sources) openLists(ctx context.Context, where []location) (manifest.Reader, error) {
	var lists []manifest.List
	for _, l := range where {
		if !l.remote() {
			if err := isFile(l.path); err != nil {
				return nil, err
			}
			lists = append(lists, manifest.List{Files: inventory.Dir(filepath.Dir(l.path)), Name: filepath.Base(l.path), Local: true})
			continue
		}
		files, err := s.bucket(ctx, l.bucket)
		if err != nil {
			return nil, err
		}
		lists = append(lists, manifest.List{Files: files, Name: l.key})
	}
	return manifest.OpenLists(ctx, lists)
}

func isFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("open the key list: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("open the key list: %s is not a file", path)
	}
	return nil
}
