package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 10 * time.Second
	perMille  = 1000 // units of an iteration
)

// meter shows how far jobs are: as a bar on a terminal, as sparse plain lines
// elsewhere.
type meter struct {
	mu    sync.Mutex
	done  map[schema.Digest]int64 // units by run
	sum   int64
	total int64

	out   io.Writer
	last  time.Time // of the last plain line
	bar   progress.Writer
	track *progress.Tracker
	ended chan struct{}
}

// startProgress begins to show work on some runs with so many iterations in all.
func startProgress(stderr io.Writer, runs int, iterations int64) *meter {
	m := &meter{out: stderr, done: map[schema.Digest]int64{}, last: time.Now(), total: iterations * perMille}
	if v, ok := stderr.(visibleWriter); ok {
		stderr = v.Writer // a bar steers the terminal
	}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		m.startBar(f, runs)
	}
	return m
}

func (m *meter) startBar(f *os.File, runs int) {
	m.bar = progress.NewWriter()
	m.bar.SetOutputWriter(f)
	m.bar.SetUpdateFrequency(barEvery)
	m.bar.SetAutoStop(false)
	m.bar.Style().Visibility = progress.StyleVisibility{ETA: true, Percentage: true, Time: true, Tracker: true}
	message := "1 run"
	if runs != 1 {
		message = fmt.Sprintf("%d runs", runs)
	}
	m.track = &progress.Tracker{Message: message, Total: m.total}
	m.bar.AppendTracker(m.track)
	m.ended = make(chan struct{})
	go func() {
		defer close(m.ended)
		m.bar.Render()
	}()
}

// share is where in an iteration, in thousandths, a stage begins and ends.
var share = map[string][2]int64{
	replay.StageCollect: {0, 300},
	replay.StageFactor:  {300, 350},
	replay.StageLearn:   {350, 1000},
}

func (m *meter) report(e replay.Event) {
	span, ok := share[e.Stage]
	if !ok {
		return
	}
	units := int64(e.K)*perMille + span[0] + (span[1]-span[0])*e.Done/max(e.Total, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum += units - m.done[e.Run]
	m.done[e.Run] = units
	if m.track != nil {
		m.track.SetValue(m.sum)
		return
	}
	if now := time.Now(); now.Sub(m.last) >= lineEvery {
		m.last = now
		fmt.Fprintf(m.out, "%.0f %% done; run %.7s is in iteration %d, %s\n", 100*float64(m.sum)/float64(m.total), e.Run, e.K, e.Stage)
	}
}

// stop ends the bar, so that what is printed next stands below it.
func (m *meter) stop() {
	if m.bar == nil {
		return
	}
	m.track.SetValue(m.sum)
	if m.sum > 0 {
		m.track.MarkAsDone()
	}
	m.bar.Stop()
	<-m.ended
}
