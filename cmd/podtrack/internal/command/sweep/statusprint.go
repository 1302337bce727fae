package sweep

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/sweep"
)

// table returns a table of the incomplete shards.
func (st Status) table() *table.Table {
	g := table.New(table.Left("shard"), table.Right("runs"), table.Right("complete"), table.Right("begun"),
		table.Right("failed"), table.Right("missing"), table.Left("task"), table.Left("state"))
	more := 0
	for _, l := range st.Shards {
		if l.Complete == l.Runs && l.Task == "" {
			continue
		}
		if len(g.Rows) == cmdline.MaxLines {
			more++
			continue
		}
		state := l.State
		if l.Why != "" && l.Why != "None" {
			state += " (" + l.Why + ")"
		}
		g.Add(l.Shard, fmt.Sprint(l.Runs), fmt.Sprint(l.Complete), fmt.Sprint(l.Begun), fmt.Sprint(l.Failed),
			fmt.Sprint(l.Missing), orNone(l.Task), orNone(state))
	}
	if more > 0 {
		g.Add("…", "", "", "", "", "", "", fmt.Sprintf("%d more", more))
	}
	return g
}

func orNone(text string) string {
	if text == "" {
		return table.None
	}
	return text
}

// idle counts the runs that no running or queued task will make.
func (st Status) idle() (c sweep.Count) {
	if len(st.Shards) == 0 {
		return st.summary.Count
	}
	for _, l := range st.Shards {
		if l.Task == "" {
			c.Failed, c.Begun, c.Missing = c.Failed+l.Failed, c.Begun+l.Begun, c.Missing+l.Missing
		}
	}
	return c
}

// statusText returns a description of the sweep's progress, and what to do next.
func (s sweepRun) statusText(st Status) string {
	text, idle := fmt.Sprintf("%d of %s complete", st.Complete, cmdline.Plural(st.summary.Runs, "run")), st.idle()
	for _, part := range []struct {
		n    int
		word string
	}{{st.Running, "running"}, {st.Queued, "queued"}, {idle.Failed, "failed"}, {idle.Begun, "begun"},
		{idle.Missing, "missing"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	switch {
	case st.Parts > 0:
		text += fmt.Sprintf("; %s in %s that --gather takes into the store", cmdline.Plural(st.Parts, "part"), st.Folder)
	case st.Complete == st.summary.Runs:
		text += "; all of them are in the store"
	}
	return text
}

// status prints the sweep's progress.
func (s sweepRun) status() error {
	if err := s.folder.CheckExists(); err != nil && s.flags.folder == nil {
		return s.showCounts(s.store(), sweep.WholePlan, sweep.Result{}) // a sweep on this machine only
	} else if err != nil {
		return err
	}
	st, _, err := s.readStatus(s.Context.Context, ifThere)
	if err != nil {
		return err
	}
	answer := s.answer(st, st.summary, s.statusText(st))
	if len(st.Shards) > 0 { // otherwise nothing was submitted; the user starts the processes
		answer.Text = func(w table.Text) {
			if g := st.table(); len(g.Rows) > 0 {
				w.Table(g)
			}
			fmt.Fprintln(w, s.statusText(st))
		}
	}
	return answer.Print(s.Context)
}
