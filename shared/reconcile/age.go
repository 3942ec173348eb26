package reconcile

import "time"

// ageBands are the bands that a summary is broken down by: how long before the
// inventory's creation, each band from the end of the one before.
var ageBands = [...]struct {
	below time.Duration
	name  string
}{
	{24 * time.Hour, "<1d"},
	{7 * 24 * time.Hour, "1-7d"},
	{30 * 24 * time.Hour, "7-30d"},
	{90 * 24 * time.Hour, "30-90d"},
	{365 * 24 * time.Hour, "90-365d"},
}

const (
	oldestBand  = ">1y"
	unknownBand = "unknown"
)

// AgeBands lists the names of the bands, the youngest first.
func AgeBands() []string {
	var names []string
	for _, band := range ageBands {
		names = append(names, band.name)
	}
	return append(names, oldestBand, unknownBand)
}

// ageBand is the band of an instant; the zero instant is unknown. What is
// exactly as old as a band's end belongs to the next; what came after the
// inventory's creation belongs to the first.
func ageBand(created, t time.Time) string {
	if t.IsZero() {
		return unknownBand
	}
	age := created.Sub(t)
	for _, band := range ageBands {
		if age < band.below {
			return band.name
		}
	}
	return oldestBand
}
