package orc

import "time"

// maxSeconds keeps milliseconds far from the ends of an int64.
const maxSeconds = 1 << 52

// times are timestamps: seconds since the start of 2015 where the writer was,
// and nanoseconds.
type times struct {
	seconds *ints
	nanos   *ints
	base    int64          // 2015-01-01T00:00:00 in the writer's zone, Unix seconds
	zone    *time.Location // nil: UTC
	secs    []int64
	parts   []int64
}

func (p stripePart) times() (*times, error) {
	r := &times{seconds: p.ints(streamData, true), nanos: p.ints(streamSecondary, false)}
	zone := time.UTC
	// A timestamp with local time zone is an instant: its base is UTC whatever
	// the zone of the stripe.
	if p.column.kind == typeTimestamp {
		var err error
		if zone, err = writerZone(p.zone); err != nil {
			return nil, err
		}
	}
	if zone != time.UTC {
		r.zone = zone
	}
	r.base = time.Date(2015, time.January, 1, 0, 0, 0, 0, zone).Unix()
	return r, nil
}

// writerZone finds the zone that a stripe names. Files older than that field
// name none, and are taken for UTC. S3 names UTC; for other zones the program
// has to bring zone files (time/tzdata, 450 KB, which a function does without),
// and without them the file is refused.
func writerZone(name string) (*time.Location, error) {
	switch name {
	case "", "UTC", "GMT", "Etc/UTC", "Etc/GMT", "Z":
		return time.UTC, nil
	case "Local": // would be the zone of this machine
		return nil, unsupported("the writer's time zone is not a place")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, unsupported("the writer's time zone %.40q is not known here", name)
	}
	return zone, nil
}

func (r *times) read(v *Values, m, n int) error {
	v.Times = sized(v.Times, n)
	r.secs, r.parts = sized(r.secs, n), sized(r.parts, n)
	if err := r.seconds.next(r.secs[:m]); err != nil {
		return err
	}
	if err := r.nanos.next(r.parts[:m]); err != nil {
		return err
	}
	for i := range m {
		var err error
		if v.Times[i], err = r.milliseconds(r.secs[i], r.parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// milliseconds puts a timestamp together. Writers round the seconds of a time
// before 1970 towards zero where a millisecond or more is left, so one has to
// be taken off again. (The second before 1970 cannot be told from the one
// after it: a fault of the format that every reader shares.) Arrow's writer
// rounds them too, and writes what is left as a negative number.
func (r *times) milliseconds(secs, part int64) (int64, error) {
	if secs > maxSeconds || secs < -maxSeconds {
		return 0, corrupt("a timestamp of %d seconds", secs)
	}
	nanos, err := nanoseconds(part)
	if err != nil {
		return 0, err
	}
	secs += r.base
	if secs < 0 && nanos > 999_999 {
		secs--
	}
	if nanos < 0 {
		secs--
		nanos += second
	}
	if r.zone != nil {
		_, offset := time.Unix(secs, 0).In(r.zone).Zone()
		secs += int64(offset)
	}
	return secs*1000 + nanos/1_000_000, nil
}

const second = 1_000_000_000

// nanoseconds undoes the code for trailing zeros: the low three bits count
// them, less one, where there were more than one.
func nanoseconds(part int64) (int64, error) {
	n, zeros := part>>3, part&7
	if zeros > 0 {
		zeros++
	}
	for ; zeros > 0 && n > -second && n < second; zeros-- {
		n *= 10
	}
	if n <= -second || n >= second {
		return 0, corrupt("a timestamp with more nanoseconds than a second has")
	}
	return n, nil
}

func (r *times) finished() error {
	if err := r.seconds.finished(); err != nil {
		return err
	}
	return r.nanos.finished()
}
