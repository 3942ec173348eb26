package show

import (
	"strings"
	"time"
)

// Duration is a duration as a variable takes it, without the zeros at its end:
// 168h, not 168h0m0s.
func Duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
