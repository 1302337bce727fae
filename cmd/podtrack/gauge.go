package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/schema"
)

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

// gauge shows how far something is: as a bar on a terminal, as sparse plain lines
// elsewhere.
type gauge struct {
	mu   sync.Mutex
	out  io.Writer
	last time.Time // of the last plain line
	done int64

	bar   progress.Writer
	track *progress.Tracker
	ended chan struct{}
}

func startGauge(stderr io.Writer, what string) *gauge {
	g := &gauge{out: stderr, last: time.Now()}
	if f, ok := rawWriter(stderr).(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		g.startBar(f, schema.OneLine(what)) // a bar steers the terminal
	}
	return g
}

func (g *gauge) startBar(f *os.File, what string) {
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

// show says how far it is; where is what a plain line says beside that.
func (g *gauge) show(done, total int64, where string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done = done; g.track != nil {
		g.track.UpdateTotal(total)
		g.track.SetValue(done)
		return
	}
	if now := time.Now(); now.Sub(g.last) >= lineEvery {
		g.last = now
		fmt.Fprintf(g.out, "%.0f %% done%s\n", 100*float64(done)/float64(max(total, 1)), where)
	}
}

// note prints a line beside what is shown.
func (g *gauge) note(line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bar != nil {
		g.bar.Log("%s", line)
		return
	}
	fmt.Fprintln(g.out, line)
}

// count is show for what is counted.
func (g *gauge) count(done, total int) { g.show(int64(done), int64(total), "") }

// stop ends the bar, so that what is printed next stands below it.
func (g *gauge) stop() {
	if g.bar == nil {
		return
	}
	if g.done > 0 {
		g.track.MarkAsDone()
	}
	g.bar.Stop()
	<-g.ended
}
