package cmdline

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"
)

const (
	barEvery = 100 * time.Millisecond
	// lineEvery is the least time between two plain lines of progress.
	lineEvery = 10 * time.Second
)

// Bar is a progress display: a bar on a terminal, occasional plain lines elsewhere.
type Bar struct {
	mu   sync.Mutex
	out  io.Writer
	last time.Time // of the last plain line
	done int64

	show  func(done, total int64) // nil without a viewer
	bar   progress.Writer
	track *progress.Tracker
	ended chan struct{}
}

// A viewer is a writer of messages that shows progress in a way of its own.
type viewer interface {
	Progress(what string, done, total int64)
}

// StartBar starts a progress display for what.
func StartBar(stderr io.Writer, what string) *Bar {
	g := &Bar{out: stderr, last: time.Now()}
	if v, ok := RawWriter(stderr).(viewer); ok {
		g.show = func(done, total int64) { v.Progress(what, done, total) }
	} else if f, ok := RawWriter(stderr).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		g.startBar(f, textfmt.EscapeLine(what)) // control sequences must not be escaped
	}
	return g
}

// startBar starts the bar on a terminal.
func (b *Bar) startBar(f *os.File, what string) {
	b.bar = progress.NewWriter()
	b.bar.SetOutputWriter(f)
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		b.bar.SetTerminalWidth(width) // a longer line would stay, in part, when the next one replaces it
	}
	b.bar.SetUpdateFrequency(barEvery)
	b.bar.SetAutoStop(false)
	b.bar.Style().Visibility = progress.StyleVisibility{ETA: true, Percentage: true, Time: true, Tracker: true}
	b.track = &progress.Tracker{Message: what, Total: 1} // until more is known
	b.bar.AppendTracker(b.track)
	b.ended = make(chan struct{})
	go func() {
		defer close(b.ended)
		b.bar.Render()
	}()
}

// Show displays how much of total is done. where is added to a plain line.
func (b *Bar) Show(done, total int64, where string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done = done; b.show != nil {
		b.show(done, total)
		return
	}
	if b.track != nil {
		b.track.UpdateTotal(total)
		b.track.SetValue(done)
		return
	}
	if now := time.Now(); now.Sub(b.last) >= lineEvery {
		b.last = now
		fmt.Fprintf(b.out, "%.0f %% done%s\n", 100*float64(done)/float64(max(total, 1)), where)
	}
}

// Note prints a line beside the bar.
func (b *Bar) Note(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.Log("%s", line)
		return
	}
	fmt.Fprintln(b.out, line)
}

// Count calls [Bar.Show] with counts.
func (b *Bar) Count(done, total int) { b.Show(int64(done), int64(total), "") }

// Stop ends the bar, so that later output appears below it.
func (b *Bar) Stop() {
	if b.bar == nil {
		return
	}
	if b.done > 0 {
		b.track.MarkAsDone()
	}
	b.bar.Stop()
	<-b.ended
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

// StartLateBar returns a display for what, in that many parts. It shows nothing yet.
func StartLateBar(stderr io.Writer, what string, parts int) *LateBar {
	return &LateBar{stderr: stderr, what: what, parts: int64(parts)}
}

// Begin begins a part, counted from 0.
func (l *LateBar) Begin(part int, where string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part, l.where = int64(part), where
	switch {
	case l.bar != nil:
		l.bar.Show(l.part, l.parts, "; "+where)
	case l.timer == nil:
		l.timer = time.AfterFunc(barAfter, l.appear)
	}
}

func (l *LateBar) appear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.bar = StartBar(l.stderr, l.what)
		l.bar.Show(l.part, l.parts, "; "+l.where)
	}
}

// End ends the part: what is printed next appears below the bar.
func (l *LateBar) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if l.bar != nil {
		l.bar.Stop()
		l.bar = nil
	}
}
