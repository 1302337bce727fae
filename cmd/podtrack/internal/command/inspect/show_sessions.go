package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// maxSessions is the number of sessions of a run that are shown; --json has all.
const maxSessions = 10

// printSessions lists the processes that worked on a run, at most the last maxSessions.
func printSessions(w table.Text, all []report.Session) {
	if len(all) == 0 {
		return
	}
	w.Blank()
	if more := len(all) - maxSessions; more > 0 {
		fmt.Fprintf(w, "%s before these; --json has all\n", textfmt.CountOf(more, "session"))
		all = all[more:]
	}
	w.Table(table.Of(all, sessionColumns...))
	for _, s := range all {
		if s.Error != "" {
			fmt.Fprintf(w, "PID %d failed: %s\n", s.PID, textfmt.EscapeLine(s.Error))
		}
	}
	var builds []string // the distinct ones of the sessions' programs
	for _, s := range all {
		if b := "built with " + s.Go + " for " + s.Platform + revision(s); !slices.Contains(builds, b) {
			builds = append(builds, b)
		}
	}
	for _, line := range append(builds, codeOf(all)...) {
		fmt.Fprintln(w, textfmt.EscapeLine(line))
	}
}

// sessionColumns are the columns of a session.
var sessionColumns = []table.Column{
	table.Left("started").As("session since").Time(),
	table.Left("host").Optional(3),
	table.Right("pid").As("PID").Optional(2),
	table.Value(table.Left("ended"), func(s *report.Session) any {
		if s.State == tracker.SessionSignal {
			return s.Signal
		}
		return s.State
	}),
	table.Value(table.Right("s"), func(s *report.Session) any { return durationText(*s) }),
	table.Value(table.Right("CPU s").Digits(3), func(s *report.Session) any { return ifKnown(s.CPU) }),
	table.Value(table.Right("peak MB").Digits(1).Optional(1),
		func(s *report.Session) any { return ifKnown(float64(s.Peak) / 1e6) }),
	table.Value(table.Left("saved"), func(s *report.Session) any { return sessionSaved(*s) }),
}

// codeOf describes the code of the last session that recorded its code, a line each for its command, its commit and
// its programs.
func codeOf(all []report.Session) (lines []string) {
	var code *tracker.Code
	for _, s := range all {
		code = cmp.Or(s.Code, code)
	}
	if code == nil {
		return nil
	}
	lines = append(lines, "started as "+cmdline.CommandLine(code.Args))
	if commit := provenance.CommitText(*code); commit != "" {
		lines = append(lines, "in a folder at commit "+commit)
	}
	for _, p := range code.Programs {
		lines = append(lines, "with "+p.Name+" "+p.Version+codeText(p))
	}
	return lines
}

// codeText describes the files and packages of a program.
func codeText(p tracker.Program) (text string) {
	if files := provenance.FilesText(p); files != "" {
		text += ", files " + files
	}
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		text += fmt.Sprintf(", %s %s", name, p.Packages[name])
	}
	switch r := p.Recheck; {
	case r == nil:
	case r.Differs == "":
		text += fmt.Sprintf(", %d steps the same in a second process", r.Steps)
	default:
		text += ", not the same in a second process"
	}
	return text
}

// durationText returns the duration of a session, a lower bound if the session vanished.
func durationText(s report.Session) string {
	switch s.State {
	case tracker.SessionRunning:
		return table.None
	case tracker.SessionVanished:
		return fmt.Sprintf("≥ %.3f", s.Seconds)
	}
	return fmt.Sprintf("%.3f", s.Seconds)
}

// ifKnown returns what is known only for sessions that ended normally, nil if it is 0.
func ifKnown(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}

// sessionSaved returns the iterations that the session completed, and its checkpoint in the next
// one.
func sessionSaved(s report.Session) string {
	text := "no iteration"
	switch s.To - s.From {
	case 0:
	case 1:
		text = fmt.Sprintf("iteration %d", s.From)
	default:
		text = fmt.Sprintf("iterations %d to %d", s.From, s.To-1)
	}
	if s.Position == nil {
		return text
	}
	at := fmt.Sprintf("%s of iteration %d", partOf(*s.Position), s.To)
	if s.To == s.From {
		return at
	}
	return text + ", " + at
}

// partOf describes the progress within a stage.
func partOf(p report.Position) string {
	switch p.Stage {
	case stages.Collect:
		return fmt.Sprintf("%d of %d steps", p.Part, p.Parts)
	case stages.Learn:
		return fmt.Sprintf("%d of %d options", p.Part, p.Parts)
	}
	return "up to " + p.Stage
}

// revision returns the source revision of the session's program.
func revision(s report.Session) string {
	switch {
	case s.Revision == "":
		return ""
	case s.Dirty:
		return fmt.Sprintf(", revision %.12s with changes", s.Revision)
	}
	return fmt.Sprintf(", revision %.12s", s.Revision)
}
