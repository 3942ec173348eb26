// Package meter shows on a terminal how far a long step is, how fast it goes
// and how long it still takes. Elsewhere it shows nothing.
package meter

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
)

// Meter writes one line over and over. The zero Meter is silent.
type Meter struct {
	out io.Writer
	now func() time.Time

	mu     sync.Mutex
	began  time.Time
	drawn  time.Time
	stage  string
	longer int // the longest line so far
}

// New returns a meter on a terminal; on anything else a silent one.
func New(out io.Writer, terminal bool, now func() time.Time) *Meter {
	if !terminal {
		return &Meter{}
	}
	return &Meter{out: out, now: now, began: now()}
}

// State is how far a step is.
type State struct {
	Stage string // what is being done: "read"
	Done  int64  // things done, each of them a Unit
	Unit  string // "rows"
	// Bytes of Total are behind us; the time left is judged by them. Total is
	// zero where nobody knows it.
	Bytes, Total int64
}

const (
	redrawEvery = 200 * time.Millisecond
	// settleFor is how long a step runs before its time left is worth a word.
	settleFor = 2 * time.Second
)

// Show draws the line anew, unless it was drawn a moment ago.
func (m *Meter) Show(s State) {
	if m.out == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if s.Stage != m.stage {
		m.stage, m.began, m.drawn = s.Stage, now, time.Time{}
	}
	if now.Sub(m.drawn) < redrawEvery {
		return
	}
	m.drawn = now
	m.draw(text(s, now.Sub(m.began)))
}

func (m *Meter) draw(line string) {
	m.longer = max(m.longer, len(line))
	fmt.Fprintf(m.out, "\r%-*s", m.longer, line)
}

// Clear takes the line away.
func (m *Meter) Clear() {
	if m.out == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.longer > 0 {
		fmt.Fprintf(m.out, "\r%s\r", strings.Repeat(" ", m.longer))
		m.longer = 0
	}
}

// text is "read 1,204,000 rows, 1,204,000 rows/s, 42 %, 12 s left".
func text(s State, since time.Duration) string {
	parts := []string{fmt.Sprintf("%s: %s %s", s.Stage, bytesize.Count(s.Done), s.Unit)}
	seconds := since.Seconds()
	if seconds >= 1 && s.Done > 0 {
		parts = append(parts, fmt.Sprintf("%s/s", bytesize.Count(int64(float64(s.Done)/seconds))))
	}
	if s.Total > 0 && s.Bytes >= 0 && s.Bytes <= s.Total {
		parts = append(parts, fmt.Sprintf("%d %%", s.Bytes*100/s.Total))
		if since >= settleFor && s.Bytes > 0 {
			left := time.Duration(float64(since) * float64(s.Total-s.Bytes) / float64(s.Bytes))
			parts = append(parts, left.Round(time.Second).String()+" left")
		}
	}
	return strings.Join(parts, ", ")
}
