package reconcile

import (
	"errors"
	"sync"
)

// numbering gives the rows of a side that is looked up by part and number places
// that fit in few bits: stretches of a part's rows, one after the other.
type numbering struct {
	mu        sync.Mutex
	stretches []stretch
}

type stretch struct {
	part  int
	first int64
}

const stretchBits = 16

var errTooMany = errors.New("there are more rows than can be numbered")

// numberer is one worker's part of it.
type numberer struct {
	all  *numbering
	now  stretch
	base place
}

// at is the place of a row; rows of a part come in ascending order.
func (n *numberer) at(part int, number int64) (place, error) {
	if part >= 1<<wantedPartBits || number >= 1<<wantedNumberBits {
		return 0, errTooMany
	}
	if n.base == 0 || part != n.now.part || number-n.now.first >= 1<<stretchBits {
		if err := n.next(stretch{part, number}); err != nil {
			return 0, err
		}
	}
	return n.base + place(number-n.now.first), nil
}

func (n *numberer) next(s stretch) error {
	n.all.mu.Lock()
	defer n.all.mu.Unlock()
	n.all.stretches = append(n.all.stretches, s)
	n.now, n.base = s, place(len(n.all.stretches))<<stretchBits
	if n.base >= 1<<placeBits {
		return errTooMany
	}
	return nil
}

// of is the part and the number of a place.
func (n *numbering) of(p place) (part int, number int64) {
	s := n.stretches[p>>stretchBits-1]
	return s.part, s.first + int64(p&(1<<stretchBits-1))
}
