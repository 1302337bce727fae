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
