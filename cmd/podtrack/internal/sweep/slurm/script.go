package slurm

import (
	"fmt"
	"strings"
)

// Warning is how long before a time limit a task is told to save, in seconds.
const Warning = 120

// Scripts describes the scripts of a sweep's jobs.
type Scripts struct {
	Name   string // of the jobs
	Tasks  int    // of the array, one for each shard
	Worker string // the command line of a task, in which the shell expands $SLURM_ARRAY_TASK_ID
	Gather string // the command line of the job behind them
}

// TaskScript returns the script of a task of the array.
func (s Scripts) TaskScript() string {
	return fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=%s
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@%d
exec %s
`, jobName(s.Name), Warning, s.Worker)
}

// GatherScript returns the script of the job that gathers the parts.
func (s Scripts) GatherScript() string {
	return fmt.Sprintf(`#!/bin/bash
#SBATCH --job-name=%s-gather
#SBATCH --requeue
#SBATCH --open-mode=append
exec %s
`, jobName(s.Name), s.Gather)
}

// jobName replaces characters that some tools do not print.
func jobName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 &&
			(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_.", r)) {
			return r
		}
		return '-'
	}, name)
}

// FormatIndices formats ascending task indices as --array takes them, such as 0-3,7.
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
