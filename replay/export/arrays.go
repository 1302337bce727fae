package export

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Arrays lists the names of an iteration's arrays in the order in which they are written. A plain
// D has no state, action, option, value, q, policy and initiation. n is the number of steps, d of
// features, u of distinct rows, m of signed purposes, S of states and A of actions.
var Arrays = []string{
	"state",  // int64[n+1], the index of each state
	"action", // int32[n]
	"option", // int32[n], the executing option, −1 for none
	// float64[s,d], where states are observations: φ of those first seen in the iteration, in their order
	"observation",
	"delta",        // float64[n,d], the rows of the iteration's own D; not where that is a matrix over states
	"rows",         // float64[u,d], the distinct rows that were factored
	"counts",       // int64[u]
	"U",            // float64[u,d], one row a distinct row
	"S",            // float64[d]
	"Vt",           // float64[d,d]
	"eigenpurpose", // float64[m,d], signed, in option order
	"theta",        // float64[m,A,d+1], the constant's weight first; of linear learners alone
	"value",        // float64[m,S]
	"q",            // float64[m,S,A]
	"policy",       // int16[m,S], −1 terminates
	"initiation",   // bool[m,S]
	// int64[e,3], where there are episodes: the step before which one begins, its first
	// state, 1 where the one before terminated
	"episode",
}

// NPZ writes the iterations of runs as arrays named k/array, or RUN/k/array for several runs. only
// names the wanted arrays; empty means all.
func NPZ(ctx context.Context, store *tracker.Store, runs []report.Run, only []string, w io.Writer) error {
	z := zip.NewWriter(w)
	view := func(f func(*tracker.Tx) error) error { return store.View(ctx, f) }
	for _, r := range runs {
		prefix := ""
		if len(runs) > 1 {
			prefix = r.ID.String() + "/"
		}
		x := exporter{view: view, run: r, out: &npz{z}, only: only}
		if err := x.writeRun(prefix); err != nil {
			return tracker.WithRepairHint(fmt.Errorf("export run %s: %w", r.Label(), err), r.Label())
		}
	}
	return z.Close()
}

func writeAll(v any) func(*elements) error {
	return func(e *elements) error { return e.write(v) }
}

func transposed(v []float64, d int) []float64 {
	t := make([]float64, len(v))
	for i := range d {
		for j := range d {
			t[j*d+i] = v[i*d+j]
		}
	}
	return t
}

// chunks calls visit with each chunk of the iteration's transitions.
func (x *exporter) chunks(it schema.Iteration, visit func(schema.Transitions) error) error {
	for _, name := range it.RecordsOf(schema.KindTransitions) {
		t, err := load(x, name, schema.DecodeTransitions)
		if err != nil {
			return err
		}
		if err := visit(t); err != nil {
			return err
		}
	}
	return nil
}

// steps visits the steps of a chunk until an error.
func (x *exporter) steps(t *schema.Transitions, visit func(replay.Step) error) error {
	var failed error
	err := replay.VisitChunk(x.env, math.MaxInt32, t, func(s replay.Step) {
		if failed == nil {
			failed = visit(s)
		}
	})
	return cmp.Or(err, failed)
}

// firstSeen returns the first state that was new in the iteration, −1 if states are not
// observations.
func (x *exporter) firstSeen(it schema.Iteration) (int, error) {
	names := it.RecordsOf(schema.KindObservations)
	if len(names) == 0 {
		return -1, nil
	}
	o, err := load(x, names[0], schema.DecodeObservations)
	return int(o.First), err
}

// observations writes φ of the states from first on.
func (x *exporter) observations(first int) func(*elements) error {
	return func(e *elements) error {
		row := make([]float64, len(x.env.Features()))
		for s := first; s < x.env.States(); s++ {
			x.env.Observe(s, row)
			if err := e.write(row); err != nil {
				return err
			}
		}
		return nil
	}
}

// states writes the state before the first step and the one after each, before any reset.
func (x *exporter) states(it schema.Iteration) func(*elements) error {
	return func(e *elements) error {
		begun := false
		return x.chunks(it, func(t schema.Transitions) error {
			states := make([]int64, 0, len(t.Actions)+1)
			if !begun {
				begun = true
				states = append(states, int64(t.Start))
			}
			err := x.steps(&t, func(s replay.Step) error {
				states = append(states, int64(s.Next))
				return nil
			})
			if err != nil {
				return err
			}
			return e.write(states)
		})
	}
}

// episodes returns rows of three numbers: the step before which an episode begins, its first
// state, and 1 if the previous one terminated.
func (x *exporter) episodes(it schema.Iteration) (rows []int64, err error) {
	before := int64(0)
	err = x.chunks(it, func(t schema.Transitions) error {
		for _, e := range t.Episodes {
			terminated := int64(0)
			if e.Terminated {
				terminated = 1
			}
			rows = append(rows, before+int64(e.Step), int64(e.State), terminated)
		}
		before += int64(len(t.Actions))
		return nil
	})
	return rows, err
}

func (x *exporter) actions(it schema.Iteration) func(*elements) error {
	return func(e *elements) error {
		return x.chunks(it, func(t schema.Transitions) error {
			actions := make([]int32, len(t.Actions))
			for i, a := range t.Actions {
				actions[i] = int32(a)
			}
			return e.write(actions)
		})
	}
}

func (x *exporter) activeOptions(it schema.Iteration) func(*elements) error {
	return func(e *elements) error {
		return x.chunks(it, func(t schema.Transitions) error {
			options := make([]int32, 0, len(t.Actions))
			for _, s := range t.Spans {
				for range s.Steps {
					options = append(options, s.Option)
				}
			}
			return e.write(options)
		})
	}
}

func (x *exporter) deltas(it schema.Iteration, d int) func(*elements) error {
	return func(e *elements) error {
		row := make([]float64, d)
		return x.chunks(it, func(t schema.Transitions) error {
			return x.steps(&t, func(s replay.Step) error {
				pod.FeatureDifference(x.env, s.State, s.Next, row)
				return e.write(row)
			})
		})
	}
}

// options writes what part returns for each option.
func (x *exporter) options(it schema.Iteration, part func(schema.Option) any) func(*elements) error {
	return func(e *elements) error {
		for _, name := range it.RecordsOf(schema.KindOption) {
			o, err := load(x, name, schema.DecodeOption)
			if err != nil {
				return err
			}
			if err := e.write(part(o)); err != nil {
				return err
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

// learned writes what part returns for each option and its values or weights.
func (x *exporter) learned(
	it schema.Iteration, part func(*schema.Option, schema.ValueFunction) any,
) func(*elements) error {
	return func(e *elements) error {
		for i := range it.RecordsOf(schema.KindOption) {
			var o *schema.Option
			var l schema.ValueFunction
			err := x.view(func(tx *tracker.Tx) (err error) {
				o, l, err = replay.LoadLearned(tx, x.env, it, i)
				return err
			})
			if err != nil {
				return err
			}
			if err := e.write(part(o, l)); err != nil {
				return err
			}
		}
		return nil
	}
}

func (x *exporter) values(it schema.Iteration) func(*elements) error {
	return x.learned(it, func(o *schema.Option, l schema.ValueFunction) any {
		return []float64(pod.StateValues(x.env, o, l))
	})
}

func theta(_ *schema.Option, l schema.ValueFunction) any { return l.(schema.Theta).Weights }

// q writes Q, which follows from the weights or is one more backup of each value table.
func (x *exporter) q(k int, its []schema.Iteration, gamma float64) func(*elements) error {
	return func(e *elements) error {
		seen, err := replay.LoadLearnerEnv(x.view, x.env, x.run.Source, its, k)
		if err != nil {
			return err
		}
		return x.learned(its[k], func(o *schema.Option, l schema.ValueFunction) any {
			return pod.ActionValues(seen, o.Purpose.Vector, l, gamma)
		})(e)
	}
}

func (x *exporter) writeRun(prefix string) (err error) {
	var env pod.Env
	var iterations []schema.Iteration
	err = x.view(func(tx *tracker.Tx) error {
		if env, err = replay.LoadEnv(tx, x.run.Source); err == nil {
			iterations, err = tx.ReadIterations(x.run.ID)
		}
		return err
	})
	for k := 0; k < len(iterations) && err == nil; k++ {
		if x.env, err = replay.EnvAfter(env, iterations, k, x.view); err != nil {
			return err
		}
		err = x.writeIteration(prefix+strconv.Itoa(k)+"/", k, iterations)
	}
	return err
}

func (x *exporter) writeIteration(prefix string, k int, its []schema.Iteration) error {
	name, err := its[k].OnlyRecord(schema.KindFactors)
	if err != nil {
		return err
	}
	f, err := load(x, name, schema.DecodeFactors)
	if err != nil {
		return err
	}
	members, err := x.members(k, its, f)
	if err != nil {
		return err
	}
	if pod.HasEpisodes(x.env) {
		rows, err := x.episodes(its[k])
		if err != nil {
			return err
		}
		members["episode"] = member{int64s, []int{len(rows) / 3, 3}, writeAll(rows)}
	}
	if first, err := x.firstSeen(its[k]); err != nil {
		return err
	} else if first >= 0 {
		members["observation"] = member{float64s, []int{x.env.States() - first, f.Dims}, x.observations(first)}
	}
	for _, name := range Arrays {
		m, ok := members[name]
		if !ok || len(x.only) > 0 && !slices.Contains(x.only, name) {
			continue
		}
		if err := x.out.array(prefix+name, m.kind, m.shape, m.fill); err != nil {
			return err
		}
	}
	return nil
}
