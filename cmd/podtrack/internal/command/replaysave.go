package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// savedLine is the last line of the output of replay --save --json.
type savedLine struct {
	Type string `json:"type"`
	replay.SavedLevels
}

// saveLevels saves the levels that replays found, and prints how many.
func saveLevels(c *cli.Context, found []replay.Verification) error {
	host, _ := os.Hostname() // empty if it is unknown
	by := tracker.Proof{Time: time.Now().UnixNano(), Host: host, Program: programText()}
	saved, err := replay.SaveLevels(c.Context, cmdline.OpenStore(c), found, by)
	switch {
	case err != nil:
		return fmt.Errorf("save the levels that were found: %w", err)
	case c.Bool("json"):
		return json.NewEncoder(c.App.Writer).Encode(savedLine{"saved", saved})
	}
	fmt.Fprintf(c.App.Writer, "saved:  levels of %s", cmdline.Plural(saved.Saved, "iteration"))
	if saved.Higher > 0 {
		fmt.Fprintf(c.App.Writer, "; of %d the store keeps higher ones", saved.Higher)
	}
	_, err = fmt.Fprintln(c.App.Writer)
	return err
}

// replayedText returns what replays of a run with n iterations found and saved, on one line.
func replayedText(r report.Replayed, n int) string {
	var parts []string
	for _, level := range schema.Levels() {
		var names []string
		for _, stage := range replay.Stages {
			if r.Levels[stage] == level {
				names = append(names, stage)
			}
		}
		if len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+" "+string(level))
		}
	}
	return textform.EscapeLine(fmt.Sprintf("%d of %s here, on %s or later (%s, %s): %s", r.Iterations,
		cmdline.Plural(n, "iteration"), r.Time.UTC().Format(time.DateTime)+" UTC", cmp.Or(r.Host, "unknown host"), r.Program,
		strings.Join(parts, "; ")))
}
