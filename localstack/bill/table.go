package bill

import (
	"fmt"
	"slices"

	"github.com/strandline-dev/strandline/shared/meter"
)

// Line is one line of the bill for a million uploads.
type Line struct {
	What string
	// Requests are those that are sent, Units what is billed of them, in Unit.
	Requests, Units float64
	Unit            string
	Dollars         float64
}

// Bill is what the cleanup of a million abandoned uploads costs.
type Bill struct {
	// Calls follow from what was counted, as do Logs; Time is estimated.
	Calls, Logs, Time []Line
	// Kept is the storage of the tombstones until their TTL.
	Kept Line
}

// Bill prices what was counted.
func (r Run) Bill() (Bill, error) {
	if err := r.complete(); err != nil {
		return Bill{}, err
	}
	var b Bill
	scale := million / float64(r.Uploads)
	for _, p := range parts {
		b.Calls = append(b.Calls, p.line(p.count(r), scale))
	}
	b.Logs = r.logLines(scale)
	b.Time = r.timeLines(scale)
	gb := million * float64(r.TombstoneBytes+storedPerItem) / gigabyte
	b.Kept = Line{What: "tombstones, 30 days", Units: gb, Unit: "GB a month", Dollars: gb * tombstoneMonths * priceStoredGB}
	return b, nil
}

// complete finds calls that no part counts.
func (r Run) complete() error {
	for _, s := range r.stages() {
		for call := range s.Counts {
			if !slices.ContainsFunc(parts, func(p part) bool { return p.covers(r, s.Name, call) }) {
				return fmt.Errorf("%s: %s is on no line of the bill", s.Name, call)
			}
		}
	}
	return nil
}

func (p part) line(n meter.Count, scale float64) Line {
	l := Line{What: p.what, Requests: float64(n.Requests) * scale, Unit: p.unit}
	price := 0.0
	switch p.unit {
	case writes:
		l.Units, price = n.WriteUnits*scale, priceWriteUnit
	case reads:
		l.Units, price = n.ReadUnits*scale, priceReadUnit
	case queueCall:
		l.Units, price = l.Requests*pieces(n), priceQueueCall
	case storeCall:
		l.Units, price = l.Requests, priceStoreRead
	case free:
		l.Units = l.Requests
	}
	l.Dollars = l.Units * price
	return l
}

// pieces is how many times a request of the queue's is billed, by its size.
func pieces(n meter.Count) float64 {
	if n.Requests == 0 {
		return 1
	}
	each := (n.Bytes/int64(n.Requests) + queueCallBytes - 1) / queueCallBytes
	return float64(max(1, each))
}

func (r Run) logLines(scale float64) []Line {
	var logs Logs
	for _, s := range r.stages() {
		logs = logs.Plus(s.Logs)
	}
	line := func(what string, bytes int64) Line {
		gb := float64(bytes) * scale / gigabyte
		return Line{What: what, Units: gb, Unit: "GB", Dollars: gb * priceLogGB}
	}
	return []Line{line("functions' logs, with the audit trail in them", logs.Bytes), line("audit trail's own group", logs.AuditBytes)}
}

func (r Run) timeLines(scale float64) []Line {
	pass := marked(r).Counts.Plus(published(r).Counts).Of(func(meter.Call) bool { return true })
	time := func(what string, invocations, gbs float64) Line {
		return Line{What: what, Requests: invocations, Units: gbs, Unit: "GB-seconds", Dollars: invocations*priceInvocation + gbs*priceLambdaGBs}
	}
	return []Line{
		time("scheduler", 0, passGBs(float64(pass.Requests)*scale)),
		time("worker", float64(r.Purged.Invocations)*scale, workerGBs(million*Objects)),
	}
}
