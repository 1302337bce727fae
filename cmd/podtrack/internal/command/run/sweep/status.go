package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep/slurm"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// Status is the output of sweep --status.
type Status struct {
	summary
	Running int         `json:"running"` // incomplete runs in shards with a running task
	Queued  int         `json:"queued"`  // incomplete runs in shards with a queued task
	Folder  string      `json:"folder"`
	Parts   int         `json:"parts"` // parts that are not gathered yet
	Damaged []string    `json:"damaged"`
	Shards  []shardLine `json:"shards"` // shards of the last submission
}

// shardLine is the state of a shard.
type shardLine struct {
	Shard string `json:"shard"`
	sweep.Count
	Task  string `json:"task"`  // ARRAY_INDEX, "" for none in the queue
	State string `json:"state"` // state of the task
	Why   string `json:"why"`   // reason that the task waits
}

// Subfolders of the sweep's folder for Slurm's jobs.
const (
	jobsDir = "slurm" // submitted scripts
	logsDir = "logs"  // output of the jobs
)

func (s sweepRun) jobs() string { return filepath.Join(s.folder.Path, jobsDir) }

// queueNeed is whether it is an error if Slurm's queue cannot be read.
type queueNeed bool

const (
	ifThere  queueNeed = false
	mustKnow queueNeed = true
)

// readStatus returns the sweep's progress according to the store, the parts and the queue.
func (s sweepRun) readStatus(ctx context.Context, queue queueNeed) (st Status, progress *sweep.Progress, err error) {
	progress = sweep.NewProgress(s.plan, sweep.WholePlan)
	parts, bad, err := s.folder.ScanParts(ctx, progress)
	if err == nil {
		_, err = progress.Scan(ctx, s.store()) // the store that parts are gathered into
	}
	if err != nil {
		return st, progress, err
	}
	st = Status{summary: s.summary(progress), Folder: s.folder.Path, Parts: parts, Damaged: []string{}}
	for _, e := range bad {
		st.Damaged = append(st.Damaged, e.Error())
	}
	s.printLeftOut(bad)
	submissions, err := slurm.LoadSubmissions(s.jobs())
	if err != nil || len(submissions) == 0 {
		return st, progress, err
	}
	tasks, err := slurm.ListTasks(ctx, slurm.JobIDs(submissions))
	if queue == ifThere && (errors.Is(err, slurm.ErrNoSlurm) || errors.Is(err, slurm.ErrRefused)) {
		cmdline.PrintLine(s.App.ErrWriter, "cannot read the queue: %v", err)
		err = nil
	}
	st.shards(progress, submissions, tasks)
	return st, progress, err
}

// shards adds the shards with their tasks.
func (s *Status) shards(progress *sweep.Progress, submissions []slurm.Submission, tasks []slurm.Task) {
	n := tasksOf(submissions)
	arrays := map[string]int{}
	for _, submission := range submissions {
		arrays[submission.Array] = submission.Tasks
	}
	live := map[int]slurm.Task{}
	for _, t := range tasks {
		if arrays[t.Job] == n && t.Index >= 0 && (!live[t.Index].Running() || t.Running()) {
			live[t.Index] = t
		}
	}
	for i, count := range progress.CountByShard(n) {
		line := shardLine{Shard: sweep.Shard{I: i, N: n}.String(), Count: count}
		if t, is := live[i]; is {
			line.Task, line.State = fmt.Sprintf("%s_%d", t.Job, t.Index), t.State
			if t.Running() {
				s.Running += count.Runs - count.Complete
			} else {
				s.Queued += count.Runs - count.Complete
				line.Why = t.Reason
			}
		}
		s.Shards = append(s.Shards, line)
	}
}

// tasksOf returns the number of shards in the last submission.
func tasksOf(submissions []slurm.Submission) int {
	n, last := 1, ""
	for _, s := range submissions {
		if id := s.Array; id != "" && (len(id) > len(last) || len(id) == len(last) && id > last) {
			n, last = s.Tasks, id
		}
	}
	return n
}

// table returns a table of the incomplete shards.
func (s Status) table() *table.Table {
	g := table.New(table.Left("shard"), table.Right("runs"), table.Right("complete"), table.Right("begun"),
		table.Right("failed"), table.Right("missing"), table.Left("task"), table.Left("state"))
	more := 0
	for _, l := range s.Shards {
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
			fmt.Sprint(l.Missing), cmp.Or(l.Task, table.None), cmp.Or(state, table.None))
	}
	if more > 0 {
		g.Add("…", "", "", "", "", "", "", fmt.Sprintf("%d more", more))
	}
	return g
}

// idle counts the runs that no running or queued task will make.
func (s Status) idle() (c sweep.Count) {
	if len(s.Shards) == 0 {
		return s.summary.Count
	}
	for _, l := range s.Shards {
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
