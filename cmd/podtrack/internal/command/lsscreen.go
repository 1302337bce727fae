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

// screen shows surveys on a terminal, each in the place of the one before.
type screen struct {
	out     io.Writer                // what is written steers it
	columns []string                 // nil for those that the runs make worth seeing
	size    func() (int, int, error) // width and height
	lines   int                      // of what is shown
	width   int                      // for which that was
}

// Where nobody knows how large a terminal is.
const (
	usualWidth  = 80
	usualHeight = 24
)

// aside leaves what is shown above what is written next.
func (s *screen) aside() { s.lines = 0 }

func (s *screen) Show(seen report.Snapshot) error {
	width, height, err := s.size()
	if err != nil || width < 1 || height < 1 {
		width, height = usualWidth, usualHeight
	}
	var out bytes.Buffer
	switch {
	case s.lines > 0 && (width != s.width || s.lines >= height): // its lines are no longer as they were written
		out.WriteString("\x1b[2J\x1b[H")
	case s.lines > 0:
		fmt.Fprintf(&out, "\x1b[%dF", s.lines)
	}
	lines := s.frame(seen, height-1) // the cursor stands below
	for _, line := range lines {
		out.WriteString(text.Trim(line, width))
		out.WriteString("\x1b[K\n")
	}
	out.WriteString("\x1b[J")
	s.lines, s.width = len(lines), width
	_, err = s.out.Write(out.Bytes())
	return err
}

// frame is at most so many lines: how far plans are, then runs, those at work first.
func (s *screen) frame(seen report.Snapshot, height int) []string {
	lines := s.summary(seen, max(1, height/2))
	runs := slices.DeleteFunc(slices.Clone(seen.Runs), func(r report.Run) bool { return !isRunning(r) })
	runs = append(runs, slices.DeleteFunc(slices.Clone(seen.Runs), isRunning)...)
	const around = 3 // a blank line and the table's head
	room := height - len(lines) - around
	if room < 1 || len(runs) == 0 {
		return lines[:min(len(lines), height)]
	}
	left := ""
	if len(runs) > room {
		room-- // for saying so
		left = fmt.Sprintf("and %s: %s", cmdline.Plural(len(runs)-room, "more run"), report.CountRuns(runs[room:]))
		runs = runs[:room]
	}
	lines = append(lines, "")
	lines = append(lines, s.table(seen.Runs, runs)...)
	if left != "" {
		lines = append(lines, left)
	}
	return lines
}

// table is that of ls, with columns that do not change with what there is room for.
func (s *screen) table(all, shown []report.Run) []string {
	columns := s.columns
	if columns == nil {
		columns = columnsFor(all)
	}
	if len(shown) == 0 {
		return nil
	}
	return listing(columns, shown).Seen()
}

// summary is at most so many lines, but for one plan: those that are not done first.
func (s *screen) summary(seen report.Snapshot, most int) (lines []string) {
	if len(seen.Progress) == 0 {
		return []string{runsLine(seen.Runs)}
	}
	g, plans := &table.Table{Columns: []string{"", "", ">", ""}}, slices.Clone(seen.Progress)
	slices.SortStableFunc(plans, func(a, b report.Progress) int { return sortRank(a.Done()) - sortRank(b.Done()) })
	if len(plans) > most {
		plans = plans[:max(1, most-1)]
	}
	for _, p := range plans {
		g.Add(p.Tag, barText(p.Fraction()), fmt.Sprintf("%d %%", int(100*p.Fraction())), planText(p))
	}
	lines = g.Seen()[2:]
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
