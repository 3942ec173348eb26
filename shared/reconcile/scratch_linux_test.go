package reconcile

import (
	"os"
	"testing"
)

// TestAFullDiskIsAClearError without the name of the file, which says nothing.
func TestAFullDiskIsAClearError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := newScratch(t.TempDir(), 0)
	s.file = full
	_, err = s.append([]byte("x"))
	if err == nil || err.Error() != "write temporary data: write: no space left on device" {
		t.Errorf("error %v", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
