// Package sweep is the command podtrack sweep: grids of runs, here, in shards or on Slurm.
package sweep
