package cmdline

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema/textform"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"
)

const (
	barEvery = 100 * time.Millisecond
	// LineEvery is the least time between two plain lines of progress.
	LineEvery = 10 * time.Second
)

// Bar is a progress display: a bar on a terminal, occasional plain lines elsewhere.
type Bar struct {
	mu   sync.Mutex
	out  io.Writer
	last time.Time // of the last plain line
	done int64

	bar   progress.Writer
	track *progress.Tracker
	ended chan struct{}
}

// StartBar starts a progress display for what.
func StartBar(stderr io.Writer, what string) *Bar {
	g := &Bar{out: stderr, last: time.Now()}
	if f, ok := RawWriter(stderr).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		g.startBar(f, textform.EscapeLine(what)) // control sequences must not be escaped
	}
	return g
}

// startBar starts the bar on a terminal.
func (g *Bar) startBar(f *os.File, what string) {
	g.bar = progress.NewWriter()
	g.bar.SetOutputWriter(f)
	g.bar.SetUpdateFrequency(barEvery)
	g.bar.SetAutoStop(false)
	g.bar.Style().Visibility = progress.StyleVisibility{ETA: true, Percentage: true, Time: true, Tracker: true}
	g.track = &progress.Tracker{Message: what, Total: 1} // until more is known
	g.bar.AppendTracker(g.track)
	g.ended = make(chan struct{})
	go func() {
		defer close(g.ended)
		g.bar.Render()
	}()
}

// Show displays how much of total is done. where is added to a plain line.
func (g *Bar) Show(done, total int64, where string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done = done; g.track != nil {
		g.track.UpdateTotal(total)
		g.track.SetValue(done)
		return
	}
	if now := time.Now(); now.Sub(g.last) >= LineEvery {
		g.last = now
		fmt.Fprintf(g.out, "%.0f %% done%s\n", 100*float64(done)/float64(max(total, 1)), where)
	}
}

// Note prints a line beside the bar.
func (g *Bar) Note(line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bar != nil {
		g.bar.Log("%s", line)
		return
	}
	fmt.Fprintln(g.out, line)
}

// Count calls [Bar.Show] with counts.
func (g *Bar) Count(done, total int) { g.Show(int64(done), int64(total), "") }

// Stop ends the bar, so that later output appears below it.
func (g *Bar) Stop() {
	if g.bar == nil {
		return
	}
	if g.done > 0 {
		g.track.MarkAsDone()
	}
	g.bar.Stop()
	<-g.ended
}

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
