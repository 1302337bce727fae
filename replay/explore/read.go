package explore

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// viewer runs functions in read transactions.
type viewer = func(func(*tracker.Tx) error) error

// Read reads how a run explored in all of its iterations. It returns [tracker.ErrPruned] if it lacks
// transitions. Where it lacks options it leaves out what follows from them, and says so.
func Read(tx *tracker.Tx, run tracker.Run) (*Run, error) {
	return ReadWith(func(read func(*tracker.Tx) error) error { return read(tx) }, run)
}

// ReadVisits does the same without the options, which takes a small part of the time and needs the
// transitions alone. Options is nil in all iterations.
func ReadVisits(tx *tracker.Tx, run tracker.Run) (*Run, error) {
	return ReadVisitsWith(func(read func(*tracker.Tx) error) error { return read(tx) }, run)
}

// ReadVisitsWith reads how a run explored like [ReadVisits], with transactions as those of [ReadWith].
func ReadVisitsWith(view func(func(*tracker.Tx) error) error, run tracker.Run) (*Run, error) {
	r := reader{view: view, visitsOnly: true}
	return r.read(run)
}

// ReadWith reads how a run explored like [Read], with transactions like those of [replay.VisitIterations].
func ReadWith(view func(func(*tracker.Tx) error) error, run tracker.Run) (*Run, error) {
	r := reader{view: view}
	return r.read(run)
}

// reader reads how a run explored, iteration by iteration.
type reader struct {
	view       viewer
	visitsOnly bool
	env        pod.Env
	iterations []schema.Iteration
	options    int // made so far
	visits     visits
	run        Run
}

func (r *reader) read(run tracker.Run) (*Run, error) {
	records, err := replay.ReadRecords(r.view, run)
	if err != nil {
		return nil, err
	}
	r.env, r.iterations = records.Env, records.Iterations
	k, err := replay.VisitIterations(r.view, r.iterations, r.iteration)
	if err != nil {
		return nil, fmt.Errorf("iteration %d: %w", k, err)
	}
	return r.finish(), nil
}

// iteration reads iteration k.
func (r *reader) iteration(view viewer, k int) error {
	out, it := Iteration{K: k}, r.iterations[k]
	if pod.HasActions(r.env) {
		if err := r.readVisits(view, &out, it); err != nil {
			return err
		}
	}
	if !r.visitsOnly {
		if err := r.readOptions(view, &out, it); err != nil {
			return err
		}
	}
	out.Steps = r.run.Steps
	r.options += len(it.RecordsOf(schema.KindOption))
	r.run.Iterations = append(r.run.Iterations, out)
	return nil
}

// readOptions reads the options of an iteration, unless they are pruned.
func (r *reader) readOptions(view viewer, out *Iteration, it schema.Iteration) (err error) {
	out.Options, err = readDiversity(view, it, r.env.States())
	if errors.Is(err, tracker.ErrPruned) {
		out.OptionsPruned, r.run.Pruned = true, cmp.Or(r.run.Pruned, fmt.Errorf("iteration %d: %w", out.K, err))
		return nil
	}
	return err
}

// readVisits reads the transitions of an iteration.
func (r *reader) readVisits(view viewer, out *Iteration, it schema.Iteration) error {
	before, begun, steps := int64(len(r.visits.first)), r.run.Steps, int64(0)
	resets := false
	follow := Follow(r.visits.add)
	last, err := replay.VisitStepsWith(view, r.env, r.options, it, func(s replay.Step) {
		s.T += begun
		follow(s)
		steps, resets = steps+1, s.Resets
	})
	if err != nil {
		return err
	}
	r.run.Steps += steps
	if resets {
		r.visits.add(last, r.run.Steps)
	}
	covered := int64(len(r.visits.first))
	newStates, entropy := covered-before, entropyBits(r.visits.endIteration())
	out.Covered, out.NewStates, out.Entropy = &covered, &newStates, &entropy
	return nil
}

// finish returns the run with what follows from all visits.
func (r *reader) finish() *Run {
	r.run.First, r.run.HasOptions = r.visits.first, !r.visitsOnly
	if len(r.run.First) == 0 {
		return &r.run
	}
	covered := int64(len(r.run.First))
	r.run.Covered = &covered
	if states, known := pod.CountReachable(r.env, r.run.First[0].State); known {
		r.run.setStates(states)
	}
	return &r.run
}
