package cmdline

import (
	"io"
	"sync"
	"time"
)

// barAfter is the time after which work that is not done shows a bar.
const barAfter = 500 * time.Millisecond

// LateBar is a progress display for work in parts, each of which may print when it is done. It
// appears only for a part that takes long, and is gone before the part prints.
type LateBar struct {
	stderr io.Writer
	what   string

	mu    sync.Mutex
	timer *time.Timer
	bar   *Bar
	part  int64
	parts int64
	where string
}

// StartLateBar returns a display for what, of that many parts, which shows nothing yet.
func StartLateBar(stderr io.Writer, what string, parts int) *LateBar {
	return &LateBar{stderr: stderr, what: what, parts: int64(parts)}
}

// Begin begins a part, counted from 0.
func (b *LateBar) Begin(part int, where string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.part, b.where = int64(part), where
	switch {
	case b.bar != nil:
		b.bar.Show(b.part, b.parts, "; "+where)
	case b.timer == nil:
		b.timer = time.AfterFunc(barAfter, b.appear)
	}
}

func (b *LateBar) appear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.bar = StartBar(b.stderr, b.what)
		b.bar.Show(b.part, b.parts, "; "+b.where)
	}
}

// End ends the part: what is printed next appears below the bar.
func (b *LateBar) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if b.bar != nil {
		b.bar.Stop()
		b.bar = nil
	}
}

// Pace is the pace of work that is done in units.
type Pace struct {
	Begun time.Time // of the first call of Left
	first int64     // units done then
}

// Left returns how long the work will go on at the pace so far, and whether that is known.
func (p *Pace) Left(done, total int64, now time.Time) (time.Duration, bool) {
	if p.Begun.IsZero() {
		p.Begun, p.first = now, done
	}
	if done <= p.first {
		return 0, false
	}
	return time.Duration(float64(now.Sub(p.Begun)) / float64(done-p.first) * float64(total-done)), true
}
