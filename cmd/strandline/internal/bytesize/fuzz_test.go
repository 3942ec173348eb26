package bytesize_test

import (
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
)

// FuzzSize: a size that is read is none below zero, and is the same when it is
// written and read again; what is refused repeats nothing.
func FuzzSize(f *testing.F) {
	for _, text := range []string{"96MB", "1GiB", "1.5GB", "-1B", "9223372036854775807B", "4611686TB", " 7 kB", "7", "", "+5B", "1_0B", "٣B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again bytesize.Size
		if err := s.Set(text); err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || s != 0 {
				t.Fatalf("%q: %v, %d", text, err, s)
			}
			return
		}
		if err := again.Set(s.String()); s < 0 || err != nil || again != s {
			t.Fatalf("%q is %d, written %q, read %d: %v", text, s, s.String(), again, err)
		}
		bytesize.Text(int64(s))
		if count := bytesize.Count(int64(s)); strings.HasPrefix(count, ",") {
			t.Fatalf("%q", count)
		}
	})
}
