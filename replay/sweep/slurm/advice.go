package slurm

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceNoSlurm schema.Advice = "submit where there is a Slurm, or execute the runs here"
	AdviceRefused schema.Advice = "fix what Slurm reports; an array may have as many tasks as its MaxArraySize"
)
