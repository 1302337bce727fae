package command

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// surveyText is a surveyor that writes a line for each tag with plans, or one for all runs, if it
// has changed. It reports a change in the number of runs in a state at once, and finished
// iterations at intervals.
type surveyText struct {
	out  io.Writer
	now  func() time.Time
	last string // the counts at which the last lines were written
	text string // the last lines
	at   time.Time
}

func (s *surveyText) aside() {}

func (s *surveyText) Show(seen report.Snapshot) error {
	counts, text := "", ""
	for _, p := range seen.Progress {
		counts += p.Tag + p.String() + "\n"
		text += planLine(p) + "\n"
	}
	if len(seen.Progress) == 0 {
		counts = runsLine(seen.Runs) + "\n"
		text = counts
	}
	if counts == s.last && (text == s.text || s.now().Sub(s.at) < cmdline.LineEvery) {
		return nil
	}
	s.last, s.text, s.at = counts, text, s.now()
	_, err := io.WriteString(s.out, text)
	return err
}

// surveyLines is a surveyor that writes changes as JSON lines.
type surveyLines struct {
	out  io.Writer
	runs map[schema.Digest]string // each run as it was last written
	tags map[string]string        // each tag with plans as it was last written, without the time left
}

func (s *surveyLines) aside() {}

type (
	progressRow struct {
		Type string `json:"type"`
		report.Progress
	}
	goneRow struct {
		Type string        `json:"type"`
		Run  schema.Digest `json:"run"`
	}
)

func (s *surveyLines) Show(seen report.Snapshot) error {
	out := bufio.NewWriter(s.out)
	lines := json.NewEncoder(out)
	if err := s.showRuns(lines, seen.Runs); err != nil {
		return err
	}
	for _, p := range seen.Progress {
		shown := p
		shown.Left = nil // changes with time alone
		document, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		if s.tags[p.Tag] == string(document) {
			continue
		}
		s.tags[p.Tag] = string(document)
		if err := lines.Encode(progressRow{"progress", p}); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (s *surveyLines) showRuns(lines *json.Encoder, runs []report.Run) error {
	left := make(map[schema.Digest]string, len(runs))
	for _, r := range runs {
		document, err := json.Marshal(runResult{Type: "run", Run: r})
		if err != nil {
			return err
		}
		left[r.ID] = string(document)
		if s.runs[r.ID] == left[r.ID] {
			continue
		}
		if err := lines.Encode(json.RawMessage(document)); err != nil {
			return err
		}
	}
	for id := range s.runs {
		if _, there := left[id]; !there {
			if err := lines.Encode(goneRow{"gone", id}); err != nil {
				return err
			}
		}
	}
	s.runs = left
	return nil
}

// surveyor is an output that shows one survey after another.
type surveyor interface {
	Show(report.Snapshot) error
	aside() // called before something else is written
}
