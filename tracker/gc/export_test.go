package gc

import "context"

// NewPruner returns a pruner of runs.
var NewPruner = newPruner

// Run runs all remaining steps.
func (p *pruner) Run(ctx context.Context) error { return p.run(ctx) }

// Step runs the next step.
func (p *pruner) Step(ctx context.Context) error { return p.step(ctx) }

// IsDone reports whether no step is left.
func (p *pruner) IsDone() bool { return p.isDone() }

// Result returns the dropped records.
func (p *pruner) Result() PruneReport { return p.result() }

// BatchSize returns the size of the collected records and rows in bytes.
func (p *pruner) BatchSize() int64 {
	if p.batch == nil {
		return 0
	}
	return p.batch.size
}
