package diff

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// groupSize limits a group: the comparison takes tables of all pairs of runs, and of all pairs of purposes or options.
type groupSize struct {
	runs  int
	found int // purposes or options
}

// ClusterRuns finds what runs discovered in common, which it sorts by seed. If the recorded measures show that they are
// too many to compare, it returns an error without reading other records.
func ClusterRuns(
	ctx context.Context, store *tracker.Store, selected []report.Run, options GroupOptions,
) (g Clustering, err error) {
	if err := checkGroup(ctx, store, selected, options.By, groupSize{runs: 1 << 12, found: maxDiscoveries}); err != nil {
		return g, err
	}
	runs, err := openAll(ctx, store, selected)
	if err != nil {
		return g, err
	}
	return clusterSides(ctx, runs, options)
}

func checkGroup(ctx context.Context, store *tracker.Store, runs []report.Run, by Kind, most groupSize) error {
	if len(runs) > most.runs {
		return schema.Hint(fmt.Errorf("%d runs: more than %d %w", len(runs), most.runs, ErrIncomparable),
			"choose fewer, for example with a term such as seed=0-29")
	}
	purposes, options := 0, 0
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, r := range runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			for k := range r.Iterations {
				m, err := report.LoadMeasures(tx, r.ID, k)
				if err != nil {
					break // opening the run will report the error
				}
				purposes, options = purposes+int(m.Purposes), options+int(m.Options)
			}
		}
		return nil
	})
	if err == nil {
		err = checkFound(purposes, Purposes, len(runs), most.found)
	}
	if err == nil && by != Purposes {
		err = checkFound(options, Options, len(runs), most.found)
	}
	return err
}

// checkFound returns an error for more purposes or options than can be compared with each other.
func checkFound(n int, kind Kind, runs, most int) error {
	if n <= most {
		return nil
	}
	return schema.Hint(fmt.Errorf("%d %s of %d runs: more than %d %w", n, kind, runs, most,
		ErrIncomparable), "about %d of these runs can; choose fewer, for example with a term such as seed=0-29",
		int(float64(runs)*float64(most)/float64(n)))
}
