package report

import (
	"slices"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/tracker"
)

// LoadExploration reads how a run explored, with its options only if one of the measures is of them:
// then these must not be pruned. Without measures it reads all that there is.
func LoadExploration(view tracker.Viewer, run tracker.Run, measures ...string) (*explore.Run, error) {
	read, needsOptions := explore.Read, slices.ContainsFunc(measures, explore.NeedsOptions)
	if len(measures) > 0 && !needsOptions {
		read = explore.ReadVisits
	}
	x, err := read(view, run)
	if err == nil && needsOptions && x.Pruned != nil {
		x, err = nil, x.Pruned
	}
	return x, err
}

// loadExploration reads how the run explored as far as a measure needs it, unless it did so before.
// It does not keep the first visits, which take more memory than a list of runs should.
func (r *Run) loadExploration(tx *tracker.Tx, measure string) error {
	if r.Exploration != nil && (r.Exploration.HasOptions || !explore.NeedsOptions(measure)) || r.Iterations == 0 {
		return nil
	}
	x, err := LoadExploration(tx.View, r.Source, measure)
	if err == nil {
		x.First, r.Exploration = nil, x
	}
	return err
}
