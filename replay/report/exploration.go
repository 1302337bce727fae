package report

import (
	"slices"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/tracker"
)

// LoadExploration reads how a run explored. It reads the run's options, which must not be pruned then, only if one of
// the measures needs them. Without measures it reads everything.
func LoadExploration(view tracker.Viewer, run tracker.Run, measures ...string) (*explore.Summary, error) {
	read, needsOptions := explore.ReadRun, slices.ContainsFunc(measures, explore.NeedsOptions)
	if len(measures) > 0 && !needsOptions {
		read = explore.ReadVisits
	}
	x, err := read(view, run)
	if err == nil && needsOptions && x.Pruned != nil {
		x, err = nil, x.Pruned
	}
	return x, err
}

// loadExplorationOf reads the part of the run's exploration that a measure needs. It drops the first visits, which take
// too much memory for a list of runs.
func loadExplorationOf(tx *tracker.Tx, r *Run, measure string) error {
	x, err := LoadExploration(tx.View, r.Source, measure)
	if err == nil {
		x.First, r.Exploration = nil, x
	}
	return err
}
