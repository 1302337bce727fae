package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Source is a run, or one iteration of it.
type Source struct {
	*recorded.Records
	WholeRun bool // all iterations, and not one
	K        int  // the iteration if it is one

	Places []tracker.Membership // of the run in studies: those by which it was found
}

// check returns an error if there are no iterations.
func (s Source) check() error {
	if len(s.Iterations) == 0 {
		return schema.Hint(fmt.Errorf("%w: run %s has no iteration yet", ErrEmpty, s.Label()),
			"podtrack resume %s continues it", textfmt.ShellQuote(s.Label()))
	}
	if !s.WholeRun {
		return s.CheckIteration(s.K)
	}
	return nil
}

// checkStates returns an error if no states were recorded.
func (s Source) checkStates() error {
	if envs.HasActions(s.Env) {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w of run %s: it is of a plain D", ErrStates, s.Label()),
		"podtrack plot spectrum and podtrack plot purposes need none")
}

// Described returns the part's run.
func (s Source) Described() report.Run {
	r := report.Of(s.Records)
	r.Places = s.Places
	return r
}

// iterationRange returns the first iteration and the one after the last.
func (s Source) iterationRange() (first, end int) {
	if !s.WholeRun {
		return s.K, s.K + 1
	}
	return 0, len(s.Iterations)
}

// name returns RUN or RUN:K.
func (s Source) name() string {
	if !s.WholeRun {
		return fmt.Sprintf("%s:%d", s.Label(), s.K)
	}
	return s.Label()
}

// steps returns the number of steps, and the steps at which its iterations begin, without the first.
func (s Source) steps() (total int64, boundaries []int64) {
	first, end := s.iterationRange()
	for k := first; k < end; k++ {
		if k > first {
			boundaries = append(boundaries, total)
		}
		total += s.SpecAt(k).Steps
	}
	return total, boundaries
}

// visitSteps visits every step, with T counted from the first one, and returns the final state.
func (s Source) visitSteps(visit func(recorded.Step)) (last int, err error) {
	if err := s.checkStates(); err != nil {
		return 0, err
	}
	first, end := s.iterationRange()
	return s.VisitAllSteps(first, end, visit)
}
