package upload

import (
	"fmt"
	"hash/maphash"
	"math"
)

// found is what an exploration came to.
type found struct {
	states int
	broken *broken
	trace  []string // the shortest way to it
}

// step is how a world was reached: from which, by which of its branches.
type branch struct {
	parent int32
	choice uint16
}

const atRestChoice = math.MaxUint16

// explore visits every world that can be reached, nearest first, until an
// invariant falls or limit worlds were seen.
func (m *model) explore(limit int) found {
	var root world
	root.tick, root.left = 1, m.sc.left
	m.sc.start(m, &root)
	m.standing(&root)
	seen := map[uint64]struct{}{}
	ways := []branch{{parent: -1}}
	level, first := []world{root}, 0
	if m.bad != nil {
		return found{1, m.bad, []string{"at the start"}}
	}
	var next []world
	for len(level) > 0 {
		next = next[:0:0]
		for i := range level {
			at := int32(first + i)
			choice, failed := uint16(0), (*broken)(nil)
			m.emit = func(_, _ string, s *world) {
				if choice++; failed != nil {
					return
				}
				if m.bad != nil {
					failed = m.bad
					ways = append(ways, branch{at, choice})
					return
				}
				m.buf = m.encode(m.buf[:0], s)
				key := maphash.Bytes(seed, m.buf)
				if _, known := seen[key]; !known {
					seen[key] = struct{}{}
					ways = append(ways, branch{at, choice})
					next = append(next, *s)
				}
			}
			m.next(&level[i])
			if failed == nil {
				if m.rest(&level[i]); m.bad != nil {
					failed = m.bad
					ways = append(ways, branch{at, atRestChoice})
				}
			}
			if failed != nil {
				return found{len(seen) + 1, failed, m.tell(root, ways)}
			}
		}
		if len(seen) > limit {
			return found{states: len(seen) + 1, broken: &broken{"–", fmt.Sprintf("more than %d worlds", limit)}}
		}
		first += len(level)
		level = next
	}
	return found{states: len(seen) + 1}
}

// tell repeats the way to the last branch and says what happened on it.
func (m *model) tell(root world, ways []branch) []string {
	var choices []uint16
	for at := int32(len(ways) - 1); ways[at].parent >= 0; at = ways[at].parent {
		choices = append(choices, ways[at].choice)
	}
	var lines []string
	w := root
	m.note = func(e Event, err error, s *world, u int) {
		m.notes = append(m.notes, m.noted(e, err, s, u))
	}
	m.bad = nil
	for i := len(choices) - 1; i >= 0; i-- {
		if choices[i] == atRestChoice {
			m.notes = nil
			m.rested = map[uint64]struct{}{}
			m.rest(&w)
			lines = append(append(lines, "  from here on nothing disturbs it:"), m.notes...)
			break
		}
		n, to := uint16(0), w
		m.emit = func(who, what string, s *world) {
			if n++; n == choices[i] {
				lines = append(append(lines, fmt.Sprintf("  %02d:00 %s %s", s.tick, who, what)), m.notes...)
				to = *s
			}
		}
		m.next(&w)
		w = to
	}
	m.note = nil
	return lines
}

func (m *model) noted(e Event, err error, s *world, u int) string {
	if err != nil {
		return fmt.Sprintf("           %s: %v", e.Kind(), err)
	}
	r := m.record(s, u)
	return fmt.Sprintf("           %s → %s, version %d, fence %d", e.Kind(), r.State, r.Version, r.Fence)
}
