package reconcile

// count adds one verdict of the judge to the summary.
func (r *run) count(f *Finding) {
	s := &r.summary
	one := Count{Count: 1, Bytes: max(0, f.Size)}
	at := f.LastModified
	if at.IsZero() {
		at = f.RecordedAt
	}
	addCount(&s.Counts, f.Verdict, one)
	addGroup(&s.ByAge, ageBand(s.Created, at), f.Verdict, one)
	if f.Tenant != "" {
		addGroup(&s.ByTenant, r.roster.name([]byte(f.Tenant)), f.Verdict, one)
	}
}

// countMatched adds what was not looked at again, which is `ok`: everything
// that was read without what was.
func (r *run) countMatched() {
	s := &r.summary
	for i, all := range r.read.ages {
		again := r.again.ages[i]
		left := Count{all.Count - again.Count, all.Bytes - again.Bytes}
		addCount(&s.Counts, OK, left)
		addGroup(&s.ByAge, bandName(i), OK, left)
	}
	for name, all := range r.read.tenants {
		left := *all
		if again := r.again.tenants[name]; again != nil {
			left.Count -= again.Count
			left.Bytes -= again.Bytes
		}
		addGroup(&s.ByTenant, name, OK, left)
	}
}

func addCount(counts *map[Verdict]Count, v Verdict, n Count) {
	if n.Count == 0 {
		return
	}
	if *counts == nil {
		*counts = map[Verdict]Count{}
	}
	sum := (*counts)[v]
	(*counts)[v] = Count{sum.Count + n.Count, sum.Bytes + n.Bytes}
}

func addGroup(groups *map[string]map[Verdict]Count, name string, v Verdict, n Count) {
	if n.Count == 0 {
		return
	}
	if *groups == nil {
		*groups = map[string]map[Verdict]Count{}
	}
	counts := (*groups)[name]
	addCount(&counts, v, n)
	(*groups)[name] = counts
}
