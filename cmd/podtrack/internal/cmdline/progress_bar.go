package cmdline

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/internal/textform"
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
