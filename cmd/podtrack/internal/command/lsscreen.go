package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
)

// screen is a terminal that shows surveys, each in place of the previous one.
type screen struct {
	out     io.Writer                // the terminal, controlled by escape sequences
	columns []string                 // nil for the default columns
	size    func() (int, int, error) // returns width and height
	lines   int                      // lines of the current frame
	width   int                      // terminal width of the current frame
}

// Default size, used if the terminal's size is unknown.
const (
	usualWidth  = 80
	usualHeight = 24
)

// aside keeps the current frame above whatever is written next.
func (s *screen) aside() { s.lines = 0 }

func (s *screen) Show(seen report.Snapshot) error {
	width, height, err := s.size()
	if err != nil || width < 1 || height < 1 {
		width, height = usualWidth, usualHeight
	}
	var out bytes.Buffer
	switch {
	case s.lines > 0 && (width != s.width || s.lines >= height): // the terminal has rewrapped the lines
		out.WriteString("\x1b[2J\x1b[H")
	case s.lines > 0:
		fmt.Fprintf(&out, "\x1b[%dF", s.lines)
	}
	lines := s.frame(seen, width, height-1) // one line is for the cursor
	for _, line := range lines {
		out.WriteString(text.Trim(line, width))
		out.WriteString("\x1b[K\n")
	}
	out.WriteString("\x1b[J")
	s.lines, s.width = len(lines), width
	_, err = s.out.Write(out.Bytes())
	return err
}

// frame returns at most height lines: the progress of plans, then the runs, running ones first.
func (s *screen) frame(seen report.Snapshot, width, height int) []string {
	lines := s.summary(seen, max(1, height/2))
	runs := slices.DeleteFunc(slices.Clone(seen.Runs), func(r report.Run) bool { return !isRunning(r) })
	runs = append(runs, slices.DeleteFunc(slices.Clone(seen.Runs), isRunning)...)
	free := height - len(lines) - 1 // for the runs, below a blank line
	listed := min(len(runs), max(0, free))
	for ; listed > 0; listed-- {
		if list := s.list(seen.Runs, runs, listed, width); len(list) <= free {
			return append(append(lines, ""), list...)
		}
	}
	return lines[:min(len(lines), height)]
}

// list returns the lines of a table of the first runs, and a line that counts the others. Its
// columns depend on all runs, so that they do not change with the height.
func (s *screen) list(all, runs []report.Run, listed, width int) []string {
	g := listing(s.columns, runs[:listed], false)
	if s.columns == nil {
		g = hideable(listing(columnsFor(all), runs[:listed], false))
	}
	lines := g.Lines(width)
	if unlisted := runs[listed:]; len(unlisted) > 0 {
		lines = append(lines, fmt.Sprintf("and %s: %s", cmdline.Plural(len(unlisted), "more run"),
			report.CountRuns(unlisted)))
	}
	return lines
}

// summary returns at most the given number of lines, but at least one plan. Incomplete plans come
// first.
func (s *screen) summary(seen report.Snapshot, most int) (lines []string) {
	if len(seen.Progress) == 0 {
		return []string{runsLine(seen.Runs)}
	}
	g := table.New(table.Left(""), table.Left(""), table.Right(""), table.Left(""))
	plans := slices.Clone(seen.Progress)
	slices.SortStableFunc(plans, func(a, b report.Progress) int { return sortRank(a.Done()) - sortRank(b.Done()) })
	if len(plans) > most {
		plans = plans[:max(1, most-1)]
	}
	for _, p := range plans {
		g.Add(p.Tag, barText(p.Fraction()), fmt.Sprintf("%d %%", int(100*p.Fraction())), p.Text())
	}
	lines = g.Lines(0)[2:]
	if more := len(seen.Progress) - len(plans); more > 0 {
		lines = append(lines, "and "+cmdline.Plural(more, "more plan"))
	}
	return lines
}

func sortRank(late bool) int {
	if late {
		return 1
	}
	return 0
}
