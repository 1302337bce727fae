package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/replay/sweep/slurm"
)

// Status is what status reports.
type Status struct {
	summary
	Running int         `json:"running"` // runs not complete of shards that a task is at work on
	Queued  int         `json:"queued"`  // of those whose task waits
	Folder  string      `json:"folder"`
	Parts   int         `json:"parts"` // that are not gathered
	Damaged []string    `json:"damaged"`
	Shards  []shardLine `json:"shards"` // as they were submitted last
}

// shardLine is how it stands with a shard.
type shardLine struct {
	Shard string `json:"shard"`
	sweep.Count
	Task  string `json:"task"`  // ARRAY_INDEX, "" for none in the queue
	State string `json:"state"` // of the task
	Why   string `json:"why"`   // it waits
}

// The folders that Slurm's jobs have within the sweep's.
const (
	jobsDir = "slurm" // what was submitted
	logsDir = "logs"  // what the jobs print
)

func (s sweepRun) jobs() string { return filepath.Join(s.folder.Path, jobsDir) }

// queueNeed says whether Slurm's queue must be known.
type queueNeed bool

const (
	ifThere  queueNeed = false
	mustKnow queueNeed = true
)

// standing is how far the sweep is, by the store, the parts and the queue.
func (s sweepRun) standing(ctx context.Context, queue queueNeed) (st Status, ledger *sweep.Progress, err error) {
	ledger = sweep.NewProgress(s.plan, sweep.WholePlan)
	parts, bad, err := s.folder.ScanParts(ctx, ledger)
	if err == nil {
		_, err = ledger.Scan(ctx, s.store()) // where parts go
	}
	if err != nil {
		return st, ledger, err
	}
	st = Status{summary: s.summary(ledger), Folder: s.folder.Path, Parts: parts, Damaged: []string{}}
	for _, e := range bad {
		st.Damaged = append(st.Damaged, e.Error())
	}
	s.tell(bad)
	submissions, err := slurm.LoadSubmissions(s.jobs())
	if err != nil || len(submissions) == 0 {
		return st, ledger, err
	}
	tasks, err := slurm.ListTasks(ctx, slurm.JobIDs(submissions))
	if queue == ifThere && (errors.Is(err, slurm.ErrNoSlurm) || errors.Is(err, slurm.ErrRefused)) {
		cmdline.PrintLine(s.App.ErrWriter, "what is in the queue is not known: %v", err)
		err = nil
	}
	st.shards(ledger, submissions, tasks)
	return st, ledger, err
}

// shards adds the shards with their tasks.
func (st *Status) shards(ledger *sweep.Progress, submissions []slurm.Submission, tasks []slurm.Task) {
	n := tasksOf(submissions)
	arrays := map[string]int{}
	for _, s := range submissions {
		arrays[s.Array] = s.Tasks
	}
	live := map[int]slurm.Task{}
	for _, t := range tasks {
		if arrays[t.Job] == n && t.Index >= 0 && (!live[t.Index].Running() || t.Running()) {
			live[t.Index] = t
		}
	}
	for i, count := range ledger.CountByShard(n) {
		line := shardLine{Shard: sweep.Shard{I: i, N: n}.String(), Count: count}
		if t, is := live[i]; is {
			line.Task, line.State = fmt.Sprintf("%s_%d", t.Job, t.Index), t.State
			if t.Running() {
				st.Running += count.Runs - count.Complete
			} else {
				st.Queued += count.Runs - count.Complete
				line.Why = t.Reason
			}
		}
		st.Shards = append(st.Shards, line)
	}
}

// tasksOf is into how many shards the sweep was cut last.
func tasksOf(submissions []slurm.Submission) int {
	n, last := 1, ""
	for _, s := range submissions {
		if id := s.Array; id != "" && (len(id) > len(last) || len(id) == len(last) && id > last) {
			n, last = s.Tasks, id
		}
	}
	return n
}

// status prints how far the sweep is.
func (s sweepRun) status() error {
	if err := s.folder.CheckExists(); err != nil && !s.IsSet("folder") {
		return s.showCounts(s.store(), sweep.WholePlan, sweep.Result{}) // a sweep of this machine alone
	} else if err != nil {
		return err
	}
	st, _, err := s.standing(s.Context.Context, ifThere)
	if err != nil {
		return err
	}
	if s.Bool("json") {
		return cmdline.PrintJSON(s.App.Writer, st)
	}
	if len(st.Shards) == 0 { // nothing was submitted: others began the processes
		return s.print(st.summary, func(summary) string { return s.saysStatus(st) })
	}
	if g := st.table(); len(g.Rows) > 0 {
		if err := g.Print(s.App.Writer, table.Formats[0]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(s.App.Writer, s.saysStatus(st))
	return err
}
