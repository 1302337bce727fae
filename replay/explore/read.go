package explore

import (
	"cmp"
	"context"
	"errors"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/tracker"
)

// Read reads how a run explored in all of its iterations. The error wraps [replay.ErrPruned] if transitions were
// pruned. If options were, their measures are absent, and [Summary] has the reason.
func Read(ctx context.Context, run *replay.Run) (*Summary, error) {
	return ReadRun(run.Store().Tracker().Within(ctx), run.Run)
}

// ReadRun is [Read] for a run of package tracker, which view reads.
func ReadRun(view tracker.Viewer, run tracker.Run) (*Summary, error) {
	return new(reader).read(view, run)
}

// ReadVisits is like [Read], but reads no options, which takes a small part of the time and needs only the transitions.
// Options is nil in all iterations.
func ReadVisits(view tracker.Viewer, run tracker.Run) (*Summary, error) {
	return (&reader{visitsOnly: true}).read(view, run)
}

// reader reads how a run explored, iteration by iteration.
type reader struct {
	visitsOnly bool
	env        envs.Env
	visits     visits
	run        Summary
}

func (r *reader) read(view tracker.Viewer, run tracker.Run) (*Summary, error) {
	records, err := recorded.Open(view, run)
	if err != nil {
		return nil, err
	}
	r.env = records.Env
	k, err := records.VisitIterations(r.iteration)
	if err != nil {
		return nil, records.WrapError(k, err)
	}
	return r.finish(), nil
}

// iteration reads iteration k.
func (r *reader) iteration(records *recorded.Records, k int) error {
	out := Iteration{K: k}
	if envs.HasActions(r.env) {
		if err := r.readVisits(records, &out); err != nil {
			return err
		}
	}
	if !r.visitsOnly {
		if err := r.readOptions(records, &out); err != nil {
			return err
		}
	}
	out.Steps = r.run.Steps
	r.run.Iterations = append(r.run.Iterations, out)
	return nil
}

// readOptions reads the options of an iteration, unless they are pruned.
func (r *reader) readOptions(records *recorded.Records, out *Iteration) (err error) {
	out.Options, err = readDiversity(records.View, records.Iterations[out.K], r.env.States())
	if errors.Is(err, tracker.ErrPruned) {
		out.OptionsPruned, r.run.Pruned = true, cmp.Or(r.run.Pruned, records.WrapError(out.K, err))
		return nil
	}
	return err
}

// readVisits reads the transitions of an iteration.
func (r *reader) readVisits(records *recorded.Records, out *Iteration) error {
	before, begun, steps := int64(len(r.visits.first)), r.run.Steps, int64(0)
	resets := false
	follow := Follow(r.visits.add)
	last, err := records.VisitSteps(out.K, func(s recorded.Step) {
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

// finish returns the summary, with the measures that depend on all visits.
func (r *reader) finish() *Summary {
	r.run.First, r.run.HasOptions = r.visits.first, !r.visitsOnly
	if len(r.run.First) == 0 {
		return &r.run
	}
	covered := int64(len(r.run.First))
	r.run.Covered = &covered
	if states, known := envs.CountReachable(r.env, r.run.First[0].State); known {
		r.run.setStates(states)
	}
	return &r.run
}
