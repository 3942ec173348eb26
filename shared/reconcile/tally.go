package reconcile

import (
	"sync"
	"time"
)

// Tenants that a summary names; the others are counted together. Which ones are
// named, where there are more, depends on the order of reading.
const (
	mostTenants  = 10_000
	otherTenants = "(other)"
)

// bands are the ends of the age bands as instants.
type bands struct {
	edges [len(ageBands)]int64 // Unix milliseconds, the latest first
}

const bandCount = len(ageBands) + 1

func newBands(created time.Time) bands {
	var b bands
	for i, band := range ageBands {
		b.edges[i] = created.Add(-band.below).UnixMilli()
	}
	return b
}

// of is the band of an instant: the same as ageBand, by number.
func (b *bands) of(at int64) int {
	for i, edge := range b.edges {
		if at > edge {
			return i
		}
	}
	return len(b.edges)
}

func bandName(i int) string {
	if i < len(ageBands) {
		return ageBands[i].name
	}
	return oldestBand
}

func (c *Count) add(size int64) {
	c.Count++
	c.Bytes += max(0, size)
}

// roster is the tenants that are named, the same for every reader.
type roster struct {
	mu    sync.Mutex
	named map[string]bool
}

// name is what a tenant is counted under.
func (r *roster) name(tenant []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.named[string(tenant)]:
	case len(r.named) >= mostTenants:
		return otherTenants
	default:
		r.named[string(tenant)] = true
	}
	return string(tenant)
}

// read counts what one reader read: rows by age, entries by tenant. What is
// looked at again is counted the same way and taken off; what stays is `ok`.
type read struct {
	bands  *bands
	roster *roster

	sides   sides
	ages    [bandCount]Count
	tenants map[string]*Count
	known   map[string]*Count // by the tenant itself, for speed
	classes [classes]int64    // of entries that are plain
	etags   bool              // an entry states one
	// unrecorded are entries without recorded_at.
	unrecorded int64
}

func newRead(b *bands, r *roster) *read {
	return &read{bands: b, roster: r, tenants: map[string]*Count{}, known: map[string]*Count{}}
}

func (r *read) row(size, modified int64) { r.ages[r.bands.of(modified)].add(size) }

func (r *read) entry(size int64, tenant []byte) {
	if len(tenant) == 0 {
		return
	}
	count := r.known[string(tenant)]
	if count == nil {
		count = r.count(r.roster.name(tenant))
		if len(r.known) < mostTenants {
			r.known[string(tenant)] = count
		}
	}
	count.add(size)
}

func (r *read) count(name string) *Count {
	if r.tenants[name] == nil {
		r.tenants[name] = &Count{}
	}
	return r.tenants[name]
}

// merge adds what another reader read.
func (r *read) merge(other *read) {
	r.sides.add(other.sides)
	r.unrecorded += other.unrecorded
	r.etags = r.etags || other.etags
	for i, c := range other.ages {
		r.ages[i].Count += c.Count
		r.ages[i].Bytes += c.Bytes
	}
	for i, n := range other.classes {
		r.classes[i] += n
	}
	for name, c := range other.tenants {
		sum := r.count(name)
		sum.Count += c.Count
		sum.Bytes += c.Bytes
	}
}
