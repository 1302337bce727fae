// Package slurm hands the shards of a sweep to Slurm: a job array, one task a shard,
// and a job behind it that gathers what they made.
//
//   - [Scripts] are what the jobs execute. A script's last line is exec, so that the
//     warning before a time limit reaches the program and not a shell.
//   - [Submit] submits a job and returns its ID; [Submission] is the note of it that
//     stays in the sweep's folder.
//   - [ListTasks] asks which of those tasks are still to come to their end.
//
// Slurm's commands are found on PATH and run under a context: without a controller
// they may take a minute to say so.
package slurm
