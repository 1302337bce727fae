package main

import (
	"fmt"

	"github.com/podtrack/podtrack/replay/sweep"
)

// table has the shards that are not complete.
func (st sweepStatus) table() *grid {
	g := &grid{columns: []string{"shard", ">runs", ">complete", ">begun", ">failed", ">missing", "task", "state"}}
	more := 0
	for _, l := range st.Shards {
		if l.Complete == l.Runs && l.Task == "" {
			continue
		}
		if len(g.rows) == maxLines {
			more++
			continue
		}
		state := l.State
		if l.Why != "" && l.Why != "None" {
			state += " (" + l.Why + ")"
		}
		g.add(l.Shard, fmt.Sprint(l.Runs), fmt.Sprint(l.Complete), fmt.Sprint(l.Begun), fmt.Sprint(l.Failed), fmt.Sprint(l.Missing), orNone(l.Task), orNone(state))
	}
	if more > 0 {
		g.add("…", "", "", "", "", "", "", fmt.Sprintf("%d more", more))
	}
	return g
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

// idle are the runs of which no task is at work or in the queue.
func (st sweepStatus) idle() (c sweep.Count) {
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

// saysStatus says where the sweep stands and what to do next.
func (s study) saysStatus(st sweepStatus) string {
	text, idle := fmt.Sprintf("%d of %s complete", st.Complete, plural(st.summary.Runs, "run")), st.idle()
	for _, part := range []struct {
		n    int
		word string
	}{{st.Running, "running"}, {st.Queued, "queued"}, {idle.Failed, "failed"}, {idle.Begun, "begun"}, {idle.Missing, "missing"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	switch {
	case st.Parts > 0:
		text += fmt.Sprintf("; %s in %s that --gather takes into the store", plural(st.Parts, "part"), st.Folder)
	case st.Complete == st.summary.Runs:
		text += "; all of them are in the store"
	}
	return text
}
