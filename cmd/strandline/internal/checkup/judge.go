package checkup

import (
	"cmp"
	"slices"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Judge says what the facts mean, check by check in the order of [Checks]. It
// asks nobody and reads no clock.
func Judge(f Facts) []Result {
	j := &judge{facts: f, policy: f.deployedPolicy()}
	j.services()
	j.table()
	j.queues()
	j.outside()
	for _, b := range f.Buckets {
		j.bucket(b)
	}
	if len(f.Buckets) == 0 {
		j.noBucket()
	}
	j.functions()
	j.schedules()
	j.gate()
	j.census()
	j.rights()
	order := Checks()
	slices.SortStableFunc(j.all, func(a, b Result) int {
		return cmp.Compare(slices.Index(order, a.Check), slices.Index(order, b.Check))
	})
	return j.all
}

// deployedPolicy is the worker's where it can be told, else the command's own:
// what is deployed is what queue and buckets have to fit.
func (f Facts) deployedPolicy() policy.Policy {
	for _, one := range f.Functions {
		if one.Name != "worker" || !one.Look.Seen {
			continue
		}
		if p, err := policy.FromEnv(one.Look.Got.Variables); err == nil {
			return p
		}
	}
	return f.Policy
}

const nameBucket = "name them with --bucket, or STRANDLINE_SOURCE_BUCKETS"

func (j *judge) noBucket() {
	for _, c := range []Check{CheckVersioning, CheckMFADelete, CheckLock, CheckLifecycle} {
		j.on(c, "buckets").add(Unchecked, "no bucket is known: none is given, and the census counts none", nameBucket)
	}
}
