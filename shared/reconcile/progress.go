package reconcile

import (
	"sync"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// progress tells how far a comparison is, one call at a time.
type progress struct {
	tell func(Progress)
	mu   sync.Mutex
	at   Progress
}

// add counts rows that were read.
func (p *progress) add(rows int64) {
	p.update(func(at *Progress) { at.Rows += rows })
}

// ended counts the bytes of a file that was read.
func (p *progress) ended(files []inventory.Stated, part int) {
	if part < len(files) {
		p.update(func(at *Progress) { at.Bytes += files[part].Size })
	}
}

func (p *progress) stage(name string) {
	p.update(func(at *Progress) { at.Stage = name })
}

func (p *progress) update(change func(*Progress)) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.at)
	p.tell(p.at)
}
