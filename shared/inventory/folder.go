package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is the files below a folder, by their keys.
func Dir(root string) Files { return folder{root: root} }

// Local finds the folder that holds an inventory's files, given the path of its
// manifest.json, and the manifest's key in it.
//
// Files are named by their keys in the destination bucket: an inventory that was
// copied with its whole path is found from the folder above its prefix; one that
// was copied from the configuration's folder on, from that.
func Local(manifestPath string) (Files, string, error) {
	text, err := readManifestAt(manifestPath)
	if err != nil {
		return nil, "", fmt.Errorf("read the inventory's manifest: %w", err)
	}
	full, err := filepath.Abs(manifestPath)
	if err != nil {
		return nil, "", fmt.Errorf("find the inventory's manifest: %w", err)
	}
	m, err := parseManifest(text) // only to find the files: Open verifies it
	if err != nil || len(m.Files) == 0 {
		return Dir(filepath.Dir(full)), filepath.Base(full), nil
	}
	key := m.Files[0].Key
	for up := filepath.Dir(full); ; up = filepath.Dir(up) {
		if standsIn(up, key) {
			inside, err := filepath.Rel(up, full)
			return Dir(up), filepath.ToSlash(inside), err
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	// <config>/data/<file> beside <config>/<stamp>/manifest.json
	config := filepath.Dir(filepath.Dir(full))
	data := path.Join(path.Base(path.Dir(key)), path.Base(key))
	if above := strings.TrimSuffix(key, data); above != key && standsIn(config, data) {
		inside, err := filepath.Rel(config, full)
		return folder{root: config, above: above}, above + filepath.ToSlash(inside), err
	}
	return nil, "", fmt.Errorf("the files of %s are not there: copy the folder data/ beside the manifest's own folder, as it lies in the bucket", manifestPath)
}

// readManifestAt reads what may be a manifest: no pipe or device, which may have
// no end, and no file that is too large for one.
func readManifestAt(path string) ([]byte, error) {
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxManifest {
		return nil, tooLarge(info.Size())
	}
	return io.ReadAll(io.LimitReader(f, maxManifest))
}

func standsIn(root, key string) bool {
	name, err := localName(key)
	if err != nil {
		return false
	}
	info, err := os.Stat(filepath.Join(root, name))
	return err == nil && info.Mode().IsRegular()
}

// localName turns a key into a path below a folder. A key that leads out of the
// folder is refused: the manifest came from elsewhere.
func localName(key string) (string, error) {
	if !fs.ValidPath(key) || slices.Contains(strings.Split(key, "/"), "..") {
		return "", errors.New("the key leads out of the folder")
	}
	name, err := filepath.Localize(key)
	if err != nil {
		return "", errors.New("the key is not a path here")
	}
	return name, nil
}

// folder is a folder whose files have keys that begin with above.
type folder struct{ root, above string }

func (d folder) Open(ctx context.Context, key string) (File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	inside, ok := strings.CutPrefix(key, d.above)
	if !ok {
		return nil, errors.New("the key does not lie in the inventory's folder")
	}
	name, err := localName(inside)
	if err != nil {
		return nil, err
	}
	f, info, err := openRegular(filepath.Join(d.root, name))
	if err != nil {
		return nil, withoutPath(err)
	}
	return &localFile{File: f, info: info}, nil
}

// openRegular looks before it opens: opening a pipe would wait.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("it is not a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// withoutPath leaves the name out: errors are logged, keys are not.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// localFile is a file of a folder, with what it was when it was opened.
type localFile struct {
	*os.File
	info fs.FileInfo
}

func (f *localFile) Size() int64 { return f.info.Size() }

func (f *localFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	return n, withoutPath(err)
}
