package findings

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/strandline-dev/strandline/shared/reconcile"
)

// File is a findings file in the making: it has its name only after Keep. The
// nil File takes findings and keeps none.
type File struct {
	path   string
	temp   *os.File
	buffer *bufio.Writer
	lines  int64
}

// Create begins a findings file beside its place; without a path the nil File.
// One that is there already is refused: it may be the only trace of an earlier
// run.
func Create(path string) (*File, error) {
	if path == "" {
		return nil, nil
	}
	if err := absent(path); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".strandline-findings-*") // 0600
	if err != nil {
		return nil, fmt.Errorf("create the findings file: %w", err)
	}
	return &File{path: path, temp: temp, buffer: bufio.NewWriterSize(temp, 64<<10)}, nil
}

func absent(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("%s exists already: name another findings file, or remove it", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create the findings file: %w", err)
	}
	return nil
}

// Write adds one finding.
func (f *File) Write(finding reconcile.Finding) error {
	if f == nil {
		return nil
	}
	f.lines++
	line, err := finding.MarshalJSON()
	if err == nil {
		_, err = f.buffer.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the findings file: %w", err)
	}
	return nil
}

// Path is the name that the file gets.
func (f *File) Path() string { return f.path }

// Lines is how many findings were written.
func (f *File) Lines() int64 { return f.lines }

// Keep gives the file its name, once it is whole on disk.
func (f *File) Keep() error {
	if f == nil {
		return nil
	}
	if err := errors.Join(f.buffer.Flush(), f.temp.Sync(), f.temp.Close()); err != nil {
		return fmt.Errorf("write the findings file: %w", err)
	}
	if err := f.place(); err != nil {
		return fmt.Errorf("name the findings file: %w", err)
	}
	return nil
}

// place does not overwrite what came to be there meanwhile. A link is the one
// way to say that; where a file system has none, a look has to do.
func (f *File) place() error {
	switch err := os.Link(f.temp.Name(), f.path); {
	case err == nil:
		return os.Remove(f.temp.Name())
	case errors.Is(err, fs.ErrExist):
		return absent(f.path)
	}
	if err := absent(f.path); err != nil {
		return err
	}
	return os.Rename(f.temp.Name(), f.path)
}

// Discard removes what was written, unless it was kept.
func (f *File) Discard() {
	if f == nil {
		return
	}
	f.temp.Close()
	_ = os.Remove(f.temp.Name()) // gone already if it was kept
}
