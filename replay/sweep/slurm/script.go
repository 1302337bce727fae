package slurm

import (
	"fmt"
	"strings"
)

// Warning is how long before a time limit a task is told to save, in seconds.
const Warning = 120

// Scripts are what the jobs of a sweep execute.
type Scripts struct {
	Name   string // of the jobs
	Tasks  int    // shards that the sweep is cut into
	Worker string // the command line of a task, without its shard and cores
	Gather string // the command line of the job behind them
}

// Task is the script of a task of the array.
func (s Scripts) TaskScript() string {
	return fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=%s
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@%d
exec %s --shard "$SLURM_ARRAY_TASK_ID/%d" --parallel "${SLURM_CPUS_PER_TASK:-1}"
`, jobName(s.Name), Warning, s.Worker, s.Tasks)
}

// Behind is the script of the job that gathers.
func (s Scripts) GatherScript() string {
	return fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=%s-gather
#SBATCH --requeue
#SBATCH --open-mode=append
exec %s
`, jobName(s.Name), s.Gather)
}

// jobName keeps to what any tool shows as it is.
func jobName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_.", r)) {
			return r
		}
		return '-'
	}, name)
}

// FormatIndices is a list of tasks as --array takes it, such as 0-3,7. They ascend.
func FormatIndices(tasks []int) string {
	var parts []string
	for i := 0; i < len(tasks); {
		end := i + 1
		for end < len(tasks) && tasks[end] == tasks[end-1]+1 {
			end++
		}
		part := fmt.Sprint(tasks[i])
		if end-i > 1 {
			part = fmt.Sprintf("%d-%d", tasks[i], tasks[end-1])
		}
		parts, i = append(parts, part), end
	}
	return strings.Join(parts, ",")
}
