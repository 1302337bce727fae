// Package slurm submits the shards of a sweep to Slurm: a job array with one task for
// each shard, and a job after it that gathers the parts.
//
//   - [Scripts] are the scripts of the jobs. A script's last line is exec, so that the
//     warning signal before a time limit reaches the program and not a shell.
//   - [Submit] submits a job and returns its ID; a [Submission] stores the IDs in the
//     sweep's folder.
//   - [ListTasks] returns the pending and running tasks.
//
// Slurm's commands are found on PATH and run under a context: without a controller they
// may take a minute to fail.
package slurm
