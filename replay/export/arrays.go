package export

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// chunks returns what calls write with each chunk of the iteration's transitions.
func (e *exporter) chunks(
	it schema.Iteration, write func(out *elements, t *schema.Transitions) error,
) func(*elements) error {
	return func(out *elements) error {
		for _, name := range it.RecordsOf(schema.KindTransitions) {
			t, err := load(e, name, schema.DecodeTransitions)
			if err == nil {
				err = write(out, &t)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// firstSeen returns the first state that was new in the iteration, −1 if states are not
// observations.
func (e *exporter) firstSeen(it schema.Iteration) (int, error) {
	names := it.RecordsOf(schema.KindObservations)
	if len(names) == 0 {
		return -1, nil
	}
	o, err := load(e, names[0], schema.DecodeObservations)
	return int(o.First), err
}

// observed returns the environment with its own features. A method on states wraps it with states as features.
func (e *exporter) observed() envs.Env {
	if own, ok := envs.As[*envs.External](e.env); ok {
		return own
	}
	return e.env
}

// observations writes φ of the states from first on.
func (e *exporter) observations(first int) func(*elements) error {
	env := e.observed()
	row := make([]float64, len(env.Features()))
	return writeEach(env.States()-first, func(i int) any {
		env.Observe(first+i, row)
		return row
	})
}

// states writes the state before the first step and the one after each, before any reset.
func (e *exporter) states(it schema.Iteration) func(*elements) error {
	begun := false
	return e.chunks(it, func(out *elements, t *schema.Transitions) error {
		states := make([]int64, 0, len(t.Actions)+1)
		if !begun {
			begun = true
			states = append(states, int64(t.Start))
		}
		err := recorded.VisitChunk(e.env, math.MaxInt32, t, func(s recorded.Step) { states = append(states, int64(s.Next)) })
		out.write(states)
		return err
	})
}

// episodes returns rows of three numbers: the step before which an episode begins, its first
// state, and 1 if the previous one terminated.
func (e *exporter) episodes(it schema.Iteration) (rows []int64, err error) {
	before := int64(0)
	err = e.chunks(it, func(_ *elements, t *schema.Transitions) error {
		for _, episode := range t.Episodes {
			terminated := int64(0)
			if episode.Terminated {
				terminated = 1
			}
			rows = append(rows, before+int64(episode.Step), int64(episode.State), terminated)
		}
		before += int64(len(t.Actions))
		return nil
	})(nil)
	return rows, err
}

// rewards writes the reward of each step.
func (e *exporter) rewards(it schema.Iteration, steps int64) func(*elements) error {
	return func(out *elements) error {
		return recorded.VisitRewards(e.view, it, steps, func(r schema.Rewards) error {
			out.write([]float64(r))
			return nil
		})
	}
}

// externalName is the name of the array of external measures.
const externalName = "external_measures"

// externalMeasures writes the external measures, NaN if undefined.
func (e *exporter) externalMeasures(it schema.Iteration, names []string) func(*elements) error {
	return func(out *elements) error {
		record, err := it.OnlyRecord(schema.KindExternalMeasures)
		if err != nil {
			return err
		}
		m, err := load(e, record, schema.DecodeExternalMeasures)
		values := make([]float64, len(names))
		for i, name := range names {
			if values[i] = math.NaN(); m[name] != nil {
				values[i] = *m[name]
			}
		}
		out.write(values)
		return err
	}
}

func (e *exporter) actions(it schema.Iteration) func(*elements) error {
	return e.chunks(it, func(out *elements, t *schema.Transitions) error {
		actions := make([]int32, len(t.Actions))
		for i, a := range t.Actions {
			actions[i] = int32(a)
		}
		out.write(actions)
		return nil
	})
}

func (e *exporter) activeOptions(it schema.Iteration) func(*elements) error {
	return e.chunks(it, func(out *elements, t *schema.Transitions) error {
		for _, s := range t.Spans {
			out.write(slices.Repeat([]int32{s.Option}, int(s.Steps)))
		}
		return nil
	})
}

func (e *exporter) deltas(it schema.Iteration, d int) func(*elements) error {
	row := make([]float64, d)
	return e.chunks(it, func(out *elements, t *schema.Transitions) error {
		return recorded.VisitChunk(e.env, math.MaxInt32, t, func(s recorded.Step) {
			envs.FeatureDifference(e.env, s.State, s.Next, row)
			out.write(row)
		})
	})
}

// options writes a part of each option.
func (e *exporter) options(it schema.Iteration, part func(schema.Option) any) func(*elements) error {
	names := it.RecordsOf(schema.KindOption)
	return e.eachOption(len(names), func(tx *tracker.Tx, i int) (any, error) {
		o, err := tracker.Load(tx, names[i], schema.DecodeOption)
		if err != nil {
			return nil, err
		}
		return part(o), nil
	})
}

// batchStates and batchOptions limit the options that are in memory at once.
const (
	batchStates  = 1 << 18
	batchOptions = 64
)

// eachOption writes the results of read for each of n options. It reads many of them in one transaction: each
// transaction opens the store and checks its pages again.
func (e *exporter) eachOption(n int, read func(*tracker.Tx, int) (any, error)) func(*elements) error {
	size := max(1, min(batchOptions, batchStates/max(1, e.env.States())))
	return func(out *elements) error {
		for from := 0; from < n; from += size {
			var parts []any
			err := e.view(func(tx *tracker.Tx) error {
				for i := from; i < min(n, from+size); i++ {
					part, err := read(tx, i)
					if err != nil {
						return err
					}
					parts = append(parts, part)
				}
				return nil
			})
			if err != nil {
				return err
			}
			for _, part := range parts {
				out.write(part)
			}
		}
		return nil
	}
}

func widePolicy(o schema.Option) any {
	wide := make([]int16, len(o.Policy))
	for s, a := range o.Policy {
		wide[s] = int16(a)
	}
	return wide
}

func initiation(o schema.Option) any {
	starts := make([]bool, len(o.Policy))
	for s := range starts {
		starts[s] = o.CanStart(s)
	}
	return starts
}

// learned writes a part of each option and its values or weights.
func (e *exporter) learned(
	it schema.Iteration, part func(*schema.Option, schema.ValueFunction) any,
) func(*elements) error {
	listed := recorded.ListLearned(it)
	return e.eachOption(len(it.RecordsOf(schema.KindOption)), func(tx *tracker.Tx, i int) (any, error) {
		o, l, err := listed.Load(tx, e.env, i)
		if err != nil {
			return nil, err
		}
		return part(o, l), nil
	})
}

func (e *exporter) values(it schema.Iteration) func(*elements) error {
	return e.learned(it, func(o *schema.Option, l schema.ValueFunction) any {
		return []float64(learn.StateValues(e.env, o, l))
	})
}

func theta(_ *schema.Option, l schema.ValueFunction) any { return l.(schema.Theta).Weights }

// q writes Q, which follows from the weights or is one more backup of each value table.
func (e *exporter) q(k int, its []schema.Iteration, gamma float64) func(*elements) error {
	return func(out *elements) error {
		seen, err := e.known.LearnerEnv(k)
		if err != nil {
			return err
		}
		return e.learned(its[k], func(o *schema.Option, l schema.ValueFunction) any {
			return learn.ActionValues(seen, o.Purpose.Vector, l, gamma)
		})(out)
	}
}
