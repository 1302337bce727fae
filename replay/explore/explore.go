package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Summary describes how a run explored. States is nil if their number is unknown: in an environment that is only
// observed, or for imported rows.
type Summary struct {
	States  *int64 `json:"states"`  // reachable from where the run began
	Covered *int64 `json:"covered"` // states visited; nil for imported rows
	Steps   int64  `json:"steps"`

	// Steps until that share of the states had been visited, nil if it was not, or if the number of states is unknown.
	StepsToQuarter *int64 `json:"steps_to_quarter"`
	StepsToHalf    *int64 `json:"steps_to_half"`
	StepsToAll     *int64 `json:"steps_to_all"`

	Iterations []Iteration  `json:"iterations"`
	First      []FirstVisit `json:"-"` // of each state that was visited, in order

	HasOptions bool  `json:"-"` // whether the options were read
	Pruned     error `json:"-"` // the first [tracker.ErrPruned] of an option, nil if there was none
}

// Iteration describes how a run explored in iteration K, and how diverse the iteration's options are.
type Iteration struct {
	K                 int      `json:"k"`
	Steps             int64    `json:"steps"`              // of the run, up to its end
	Covered           *int64   `json:"covered"`            // distinct states visited, in earlier iterations too
	CoveredShare      *float64 `json:"covered_share"`      // of the states that can be reached
	NewStates         *int64   `json:"new_states"`         // first visited in it
	Entropy           *float64 `json:"entropy"`            // of its visits, in bits
	EntropyNormalised *float64 `json:"entropy_normalised"` // divided by log₂ of the states that can be reached

	Options       *Diversity `json:"options"`                  // nil if it made none, or if they are pruned
	OptionsPruned bool       `json:"options_pruned,omitempty"` // some of its options are pruned
}

// StepsTo returns the steps until that many states had been visited, nil if they never were. The first state is visited
// before the first step.
func (s *Summary) StepsTo(states int64) *int64 {
	if states < 1 || states > int64(len(s.First)) {
		return nil
	}
	return &s.First[states-1].Steps
}

// Read reads how a run explored in all of its iterations. The error wraps [replay.ErrPruned] if transitions were
// pruned. If options were, their measures are absent, and [Summary] has the reason.
func Read(ctx context.Context, run *replay.Run) (*Summary, error) {
	return ReadRun(run.Store().Tracker().Within(ctx), run.Run)
}

// ReadRun reads how a run explored, like [Read], with view in place of an opened run.
func ReadRun(view tracker.Viewer, run tracker.Run) (*Summary, error) {
	return new(reader).read(view, run)
}

// ReadVisits reads which states a run visited. It does as [Read] does but for options, which it does not read: that
// takes a small part of the time, needs only the transitions, and leaves Options nil in all iterations.
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
	r.run.First, r.run.HasOptions = r.visits.first, !r.visitsOnly
	if len(r.run.First) == 0 {
		return &r.run, nil
	}
	r.run.Covered = new(int64(len(r.run.First)))
	states, known := envs.CountReachable(r.env, r.run.First[0].State)
	if !known {
		return &r.run, nil
	}
	s := &r.run
	s.States = &states
	s.StepsToQuarter, s.StepsToHalf, s.StepsToAll = s.StepsTo((states+3)/4), s.StepsTo((states+1)/2), s.StepsTo(states)
	for i := range s.Iterations {
		it := &s.Iterations[i]
		it.CoveredShare = new(share(*it.Covered, states))
		if states > 1 {
			it.EntropyNormalised = new(*it.Entropy / log2(float64(states)))
		}
	}
	return s, nil
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
		var err error
		out.Options, err = readDiversity(records.View, records.Iterations[k], r.env.States())
		if errors.Is(err, tracker.ErrPruned) {
			out.OptionsPruned, r.run.Pruned = true, cmp.Or(r.run.Pruned, records.WrapError(k, err))
		} else if err != nil {
			return err
		}
	}
	out.Steps = r.run.Steps
	r.run.Iterations = append(r.run.Iterations, out)
	return nil
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

// moment is a run at the end of one of its iterations.
type moment struct {
	run *Summary
	it  *Iteration
}

// measures are the measures of an iteration. Measures of steps are the run's, undefined in iterations that ended before
// the states were visited.
var measures = schema.MeasureTable[moment]{
	{schema.MeasureInfo{Name: "covered", Title: "covered", Unit: "states", IsOfStates: true,
		Meaning: "distinct states that the run visited, in earlier iterations too"},
		func(m moment) *float64 { return schema.CountMeasure(m.it.Covered) }},
	{schema.MeasureInfo{Name: "covered_share", Title: "covered share", IsShare: true,
		Meaning: "covered, as a share of the states that can be reached from where the run or an episode begins; undefined " +
			"where their number is not known, as of an environment in another process"},
		func(m moment) *float64 { return m.it.CoveredShare }},
	{schema.MeasureInfo{Name: "new_states", Title: "new states", IsOfStates: true,
		Meaning: "states that the run first visited in the iteration; their sum over the iterations is covered"},
		func(m moment) *float64 { return schema.CountMeasure(m.it.NewStates) }},
	{schema.MeasureInfo{Name: "entropy", Title: "entropy", Unit: "bits",
		Meaning: "of the visits of the iteration, in bits: −Σ p log₂ p over the states, p being a state's share of the " +
			"visits (Shannon 1948; what Hazan et al., *Provably Efficient Maximum Entropy Exploration*, 2019, maximise)"},
		func(m moment) *float64 { return m.it.Entropy }},
	{schema.MeasureInfo{Name: "entropy_normalised", Title: "normalised entropy", IsShare: true,
		Meaning: "entropy, divided by log₂ of the number of states that can be reached: 1 if all are visited equally often"},
		func(m moment) *float64 { return m.it.EntropyNormalised }},
	{stepsInfo("steps_to_quarter", "steps to a quarter", "a quarter"),
		by(func(r *Summary) *int64 { return r.StepsToQuarter })},
	{stepsInfo("steps_to_half", "steps to half", "half"), by(func(r *Summary) *int64 { return r.StepsToHalf })},
	{stepsInfo("steps_to_all", "steps to all", "all"), by(func(r *Summary) *int64 { return r.StepsToAll })},
	{schema.MeasureInfo{Name: "end_sets", Title: "end sets", OfOptions: true,
		Meaning: "distinct termination sets T among the options that the iteration made. T is the complement of I, so it " +
			"is the number of distinct I too, but for options with a start"},
		of(func(d *Diversity) *float64 { return schema.CountMeasure(&d.EndSets) })},
	{overlapInfo("initiation", "I", 3), of(func(d *Diversity) *float64 { return d.InitiationOverlap })},
	{overlapInfo("termination", "T", 2), of(func(d *Diversity) *float64 { return d.TerminationOverlap })},
	{schema.MeasureInfo{Name: "start_share", Title: "start share", IsShare: true, OfOptions: true, Rank: 1,
		Meaning: "share of all states in which some option of the iteration can start"},
		of(func(d *Diversity) *float64 { return &d.StartShare })},
}

// stepsInfo describes the measure of the steps to a part of the states.
func stepsInfo(name, title, part string) schema.MeasureInfo {
	return schema.MeasureInfo{Name: name, Title: title, Unit: "steps", IsCensored: true,
		Meaning: "steps of the run until " + part + " of the states that can be reached were visited (a partial cover time)" +
			"; of a run undefined up to the iteration in which that happens. In groups a run that has not got so far counts " +
			"as the *budget*"}
}

// overlapInfo describes the measure of how much sets of the options overlap.
func overlapInfo(sets, letter string, rank int) schema.MeasureInfo {
	return schema.MeasureInfo{Name: sets + "_overlap", Title: sets + " overlap", IsShare: true, OfOptions: true,
		Rank: rank,
		Meaning: "Jaccard's coefficient of the sets " + letter + " of two options of the iteration, their intersection as " +
			"a share of their union: the mean over all pairs; undefined with fewer than two options"}
}

// by returns the measure of a number of steps, nil in iterations that ended before these.
func by(steps func(*Summary) *int64) func(moment) *float64 {
	return func(m moment) *float64 {
		if n := steps(m.run); n != nil && *n <= m.it.Steps {
			return schema.CountMeasure(n)
		}
		return nil
	}
}

// of returns a measure of the options of an iteration, nil if it made none.
func of(measure func(*Diversity) *float64) func(moment) *float64 {
	return func(m moment) *float64 {
		if m.it.Options == nil {
			return nil
		}
		return measure(m.it.Options)
	}
}

// MeasureInfos describes the measures that [Summary.Get] knows.
func MeasureInfos() []schema.MeasureInfo { return measures.Infos() }

// MeasureNames returns the names that [Summary.Get] knows.
func MeasureNames() []string { return measures.Names() }

// NeedsOptions reports whether a measure needs options, which [ReadVisits] does not read.
func NeedsOptions(name string) bool { return infoOf(name).OfOptions }

// IsCensored reports whether a measure is a time to reach something: it is undefined until a run has reached it.
func IsCensored(name string) bool { return infoOf(name).IsCensored }

// infoOf returns the description of a measure, the zero value if there is none of that name.
func infoOf(name string) schema.MeasureInfo {
	for _, m := range measures {
		if m.Name == name {
			return m.MeasureInfo
		}
	}
	return schema.MeasureInfo{}
}

// Get returns the named measure of iteration k, nil if it is undefined, and whether there is one of
// that name.
func (s *Summary) Get(name string, k int) (*float64, bool) {
	if k >= len(s.Iterations) {
		return nil, slices.Contains(MeasureNames(), name)
	}
	return measures.Get(name, moment{s, &s.Iterations[k]})
}
