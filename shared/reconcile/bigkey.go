package reconcile

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// bigKey judges a key of very many versions without holding them: its items are
// gone through twice, in the order of their versions. The first time what is to
// be known of the whole key is gathered, the second time each version is judged
// by itself, as judgeKey would. What is there many times over is held once.
type bigKey struct {
	rules   *ruleset
	bucket  string
	say     func(*Finding) error
	rows    int
	facts   keyed    // outside, distinct, latest
	stands  *version // one that is not a delete marker
	claimed *claim   // one that names a version, or any
	every   *claim   // what the owner says of every version
	met     bool     // it shares a version's line

	current, newest []*version
	undated         bool
}

// group is the rows and entries of one version.
type group struct {
	rows    []keptRow
	entries []keptEntry
}

// judge returns how many identical rows collapsed.
func (b *bigKey) judge(items func() *cursor) (duplicates int, err error) {
	again, err := b.groups(items(), b.learn)
	if err != nil {
		return 0, err
	}
	b.conclude()
	if _, err := b.groups(items(), b.judgeGroup); err != nil {
		return 0, err
	}
	return again + b.rows - b.facts.distinct, b.judgeEvery()
}

// groups takes items apart by their versions. Identical ones follow each other:
// it passes on the first, and returns how many rows it did not.
func (b *bigKey) groups(c *cursor, do func(group) error) (again int, err error) {
	var g group
	var last []byte
	id := ""
	for {
		more, err := c.advance()
		if err != nil {
			return again, err
		}
		if !more {
			return again, do(g)
		}
		if bytes.Equal(c.item, last) {
			if sideOfItem(c.item) == ofInventory {
				again++
			}
			continue
		}
		last = append(last[:0], c.item...)
		if its := string(versionOf(c.item)); its != id {
			if err := do(g); err != nil {
				return again, err
			}
			id, g = its, group{g.rows[:0], g.entries[:0]}
		}
		if err := g.add(c.item, b.bucket); err != nil {
			return again, err
		}
	}
}

// add takes an item in.
func (g *group) add(item []byte, bucket string) error {
	if sideOfItem(item) == ofOwner {
		e, err := readEntry(item, bucket)
		g.entries = append(g.entries, e)
		return err
	}
	row, err := readRow(item, bucket)
	g.rows = append(g.rows, row)
	return err
}

// learn keeps of a version what others are judged by.
func (b *bigKey) learn(g group) error {
	k := gather(b.rules, g.rows, g.entries)
	b.rows += len(g.rows)
	b.facts.outside = b.facts.outside || k.outside
	b.facts.distinct += k.distinct
	for _, v := range k.versions {
		b.learnVersion(v)
	}
	for _, c := range k.claims {
		switch {
		case c.id == "":
			b.every = c
		case b.claimed == nil || !b.claimed.namesVersion():
			b.claimed = &claim{id: c.id, entries: c.entries[:1], met: true}
		}
	}
	return nil
}

func (b *bigKey) learnVersion(v *version) {
	v.rows = slices.Clone(v.rows)
	if b.stands == nil && !v.marker() {
		b.stands = v
	}
	if v.current() {
		b.current = append(b.current, v)
		return
	}
	if len(b.current) > 0 {
		b.newest = nil
		return
	}
	at := v.row().LastModified
	switch {
	case b.undated || at == inventory.NoTime:
		b.undated = true
		b.newest = append(b.newest, v)
	case len(b.newest) == 0 || at == b.newest[0].row().LastModified:
		b.newest = append(b.newest, v)
	case at > b.newest[0].row().LastModified:
		b.newest = append(b.newest[:0], v)
	}
}

// conclude says which version is the latest.
func (b *bigKey) conclude() {
	pool := b.current
	if len(pool) == 0 {
		pool = b.newest
	}
	b.facts.latest = latest{versions: newest(pool), guessed: len(b.current) != 1}
}

// judgeGroup judges one version and what the owner says of it.
func (b *bigKey) judgeGroup(g group) error {
	k := gather(b.rules, g.rows, g.entries)
	if b.facts.outside {
		k.ignore()
		return b.send(k)
	}
	if len(k.versions) == 0 && (len(k.claims) == 0 || k.claims[0].id == "") {
		return nil
	}
	own := slices.Clone(k.claims)
	b.surround(k)
	for _, v := range slices.Clone(k.versions[:min(1, len(g.rows))]) {
		k.judge(v)
	}
	for _, c := range own {
		if !c.met {
			k.judgeAbsent(c)
		}
	}
	if every := k.claim(""); every != nil && every.met {
		b.met = true
	}
	return b.send(k)
}

// surround puts around a version what judging it asks for of the others.
func (b *bigKey) surround(k *keyed) {
	k.latest = latest{versions: slices.Clone(b.facts.latest.versions), guessed: b.facts.latest.guessed}
	for i, l := range k.latest.versions {
		if v := k.version(l.id); v != nil {
			k.latest.versions[i] = v
		}
	}
	if b.stands != nil && k.version(b.stands.id) == nil {
		k.versions = append(k.versions, b.stands)
	}
	if b.claimed != nil && k.claim(b.claimed.id) == nil {
		k.claims = append(k.claims, b.claimed)
	}
	if b.every != nil {
		k.claims = append(k.claims, &claim{entries: slices.Clone(b.every.entries)})
	}
}

// judgeEvery judges what the owner says of all versions, if none met it.
func (b *bigKey) judgeEvery() error {
	if b.every == nil || b.met || b.facts.outside {
		return nil
	}
	k := &keyed{rules: b.rules}
	b.surround(k)
	k.judgeAbsent(b.every)
	return b.send(k)
}

func (b *bigKey) send(k *keyed) error {
	slices.SortFunc(k.lines, func(x, y Finding) int { return cmp.Compare(x.Verdict, y.Verdict) })
	for i := range k.lines {
		if err := b.say(&k.lines[i]); err != nil {
			return err
		}
	}
	return nil
}
