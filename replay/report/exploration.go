package report

import (
	"slices"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/tracker"
)

// LoadExploration reads how a run explored, with its options only if one of the measures is of them:
// then these must not be pruned. Without measures it reads all that there is.
func LoadExploration(view tracker.Viewer, run tracker.Run, measures ...string) (*explore.Summary, error) {
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

// loadExplorationOf reads how the run explored as far as a measure needs it. It does not keep the first visits, which
// take more memory than a list of runs should.
func loadExplorationOf(tx *tracker.Tx, r *Run, measure string) error {
	x, err := LoadExploration(tx.View, r.Source, measure)
	if err == nil {
		x.First, r.Exploration = nil, x
	}
	return err
}
