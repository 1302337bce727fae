// Package sweep implements the command podtrack sweep: grids of runs on this machine, in shards or
// on Slurm.
package sweep
