package command

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// laterPurposes tells how many of the run's purposes, from the first iteration without the option on, are there without
// it as well. Each sign counts.
type laterPurposes struct {
	Purposes   int      `json:"purposes"`
	Same       int      `json:"same"`              // with a partner whose |cos_M| reaches the threshold
	Threshold  float64  `json:"threshold"`         // of |cos_M|
	Similarity *float64 `json:"option_similarity"` // mean over the options of these, nil without one
}

func countLater(r diff.Report, from int) (l laterPurposes) {
	sum, n := 0.0, 0.0
	for _, it := range r.Iterations[min(from, len(r.Iterations)):] {
		l.Threshold = it.Threshold
		l.Purposes += len(it.OnlyA)
		for _, p := range it.Pairs {
			if !p.Matched {
				continue
			}
			l.Purposes, l.Same = l.Purposes+1, l.Same+1
			if p.BehaviourSimilarity != nil {
				sum, n = sum+p.Similarity, n+1
			}
		}
	}
	if n > 0 {
		sum /= n
		l.Similarity = &sum
	}
	return l
}

// measuresWithout are the measures of an iteration of a run and of its fork, nil where they were pruned.
type measuresWithout struct {
	K       int              `json:"k"`
	With    *schema.Measures `json:"with"`
	Without *schema.Measures `json:"without"`
}

// readMeasuresWithout reads the measures of both runs from an iteration on.
func readMeasuresWithout(ctx context.Context, run, fork *diff.Run, from int) ([]measuresWithout, error) {
	all := []measuresWithout{}
	for k := from; k < min(len(run.Iterations), len(fork.Iterations)); k++ {
		all = append(all, measuresWithout{K: k})
	}
	for _, side := range []struct {
		run *diff.Run
		of  func(*measuresWithout) **schema.Measures
	}{
		{run, func(m *measuresWithout) **schema.Measures { return &m.With }},
		{fork, func(m *measuresWithout) **schema.Measures { return &m.Without }},
	} {
		err := side.run.View(ctx, func(tx *tracker.Tx) error {
			for i := range all {
				m, err := report.LoadMeasures(tx, side.run.ID, all[i].K)
				switch {
				case errors.Is(err, tracker.ErrPruned):
				case err != nil:
					return side.run.WrapError(all[i].K, err)
				default:
					*side.of(&all[i]) = &m
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// counterfactual is the output of why --without.
type counterfactual struct {
	Option string        `json:"option"`
	Number int           `json:"number"`
	From   int           `json:"from"` // first iteration whose action set lacks the option
	Run    schema.Digest `json:"run"`  // the fork
	Name   string        `json:"name"` // the fork's, "" for none
	Kept   bool          `json:"kept"`
	Later  laterPurposes `json:"later"`
	// Measures are those of both runs, from the first iteration without the option on.
	Measures []measuresWithout `json:"measures"`
	Diff     diff.Report       `json:"diff"` // a: the run, b: the fork
}
