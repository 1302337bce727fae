package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// stageLie is something that a stage cannot return.
type stageLie struct {
	name, want string
	method     func(*pod.MethodOutput)
	choice     func(*[]schema.Direction)
	learn      func(*schema.ValueFunction)
}

// changed returns what computes a stage, with a change of what that returns.
func changed[In, Out any](compute pod.StageFunc[In, Out], change func(*Out)) pod.StageFunc[In, Out] {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := compute(ctx, in)
		if err == nil && change != nil {
			change(&out)
		}
		return out, err
	}
}

// checkLie checks that a run fails of its stage, which says what is wrong, with a remedy, and records nothing.
func checkLie(t *testing.T, spec schema.Spec, set *replay.StageSet, want string) {
	t.Helper()
	o := runWith(t, newStore(t, tracker.Options{}), replay.Job{Spec: spec, Target: 2}, replay.Options{Stages: set})
	if !errors.Is(o.Err, pod.ErrStageFailed) || !strings.Contains(fmt.Sprint(o.Err), want) ||
		schema.Remedy(o.Err) == "" || errors.Is(o.Err, wire.ErrMalformed) {
		t.Errorf("%v, remedy %q; want %q", o.Err, schema.Remedy(o.Err), want)
	}
}

// TestExternalStagesLie: what a stage returns is refused, with a remedy, unless a record can hold it.
func TestExternalStagesLie(t *testing.T) {
	for _, c := range stageLies() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := serve(t, externalCases(t)["paper"])
			spec, _ := x.declare(t)
			set, p := &replay.StageSet{}, *spec.Stages
			ok(t, errors.Join(set.AddMethod(*p.Method, changed(x.factor, c.method)),
				set.AddSelect(*p.Select, changed(x.choose, c.choice)),
				set.AddLearner(*p.Learner, changed(x.learn, c.learn))))
			checkLie(t, spec, set, c.want)
		})
	}
}

func stageLies() []stageLie {
	value := func(name, want string, change func(v schema.Value) schema.ValueFunction) stageLie {
		return stageLie{name: name, want: want, learn: func(l *schema.ValueFunction) {
			*l = change(slices.Clone((*l).(schema.Value)))
		}}
	}
	direction := func(name, want string, change func(d *schema.Direction)) stageLie {
		return stageLie{name: name, want: want, choice: func(d *[]schema.Direction) { change(&(*d)[1]) }}
	}
	method := func(name, want string, change func(*pod.MethodOutput)) stageLie {
		return stageLie{name: name, want: want, method: change}
	}
	return []stageLie{
		method("σ NaN", "σ of direction 2 is NaN", func(o *pod.MethodOutput) { o.Sigma[1] = math.NaN() }),
		method("σ infinite", "σ of direction 1 is +Inf", func(o *pod.MethodOutput) { o.Sigma[0] = math.Inf(1) }),
		method("σ negative", "σ of direction 6 is -1", func(o *pod.MethodOutput) { o.Sigma[5] = -1 }),
		method("σ ascending", "is larger than", func(o *pod.MethodOutput) { o.Sigma[2] = 2 * o.Sigma[1] }),
		method("a σ too many", "13 numbers σ and 12 vectors", func(o *pod.MethodOutput) { o.Sigma = append(o.Sigma, 0) }),
		method("too many directions", "13 numbers σ and 13 vectors for a D of 12 columns", func(o *pod.MethodOutput) {
			o.Sigma, o.Vectors = append(o.Sigma, 0), append(o.Vectors, o.Vectors[0])
		}),
		method("short vector", "vector 1 has 11 entries", func(o *pod.MethodOutput) { o.Vectors[0] = o.Vectors[0][:11] }),
		method("entry NaN", "entry 1 of vector 3 is NaN", func(o *pod.MethodOutput) { o.Vectors[2][0] = math.NaN() }),
		method("not unit", "vector 1 has length", func(o *pod.MethodOutput) { o.Vectors[0][0] += 1e-3 }),
		method("zero", "vector 1 has length 0", func(o *pod.MethodOutput) { o.Vectors[0] = make([]float64, 12) }),
		direction("another σ", "direction 2 has σ", func(d *schema.Direction) { d.Sigma++ }),
		direction("number NaN", "the number of direction 2 is NaN", func(d *schema.Direction) { d.Number = math.NaN() }),
		direction("reason", "direction 2 has reason 99", func(d *schema.Direction) { d.Reason = 99 }),
		direction("nearest", "option 7, which does not exist", func(d *schema.Direction) { d.Nearest = 7 }),
		direction("sign", "but the spec follows both signs", func(d *schema.Direction) { d.Sign = 1 }),
		{name: "too few decisions", want: "it decided about 6 of 7 directions",
			choice: func(d *[]schema.Direction) { *d = (*d)[1:] }},
		value("v NaN", "the value of state 3 is NaN", func(v schema.Value) schema.ValueFunction {
			v[3] = math.NaN()
			return v
		}),
		value("v negative", "the value of state 0 is -1", func(v schema.Value) schema.ValueFunction {
			v[0] = -1
			return v
		}),
		value("v short", "values for 4095 of 4096 states", func(v schema.Value) schema.ValueFunction { return v[1:] }),
		value("weights", "weights of a learner of values", func(schema.Value) schema.ValueFunction {
			return schema.NewTheta(2, 6)
		}),
		value("nothing", "neither values nor weights", func(schema.Value) schema.ValueFunction { return nil }),
		value("cycle", "option does not terminate", func(v schema.Value) schema.ValueFunction {
			for s := range v {
				v[s] = 1e6
			}
			return v
		}),
	}
}

// TestExternalCollectLies: steps that cannot have been taken, or have no form, are refused with a remedy.
func TestExternalCollectLies(t *testing.T) {
	for _, c := range []struct {
		name, env string
		change    func(in pod.CollectInput, out *pod.CollectOutput)
		want      string
	}{
		{"nothing", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { *out = pod.CollectOutput{} }, "0 steps"},
		{"too many steps", "paper", func(in pod.CollectInput, out *pod.CollectOutput) {
			out.Actions = make([]uint8, in.Steps+1)
		}, "1001 steps, but at most 1000"},
		{"an action", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Actions[3] = 2 },
			"action 2; there are 2 actions"},
		{"options for some", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Options = out.Options[1:] },
			"99 options, for 100 steps"},
		{"an unknown option", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Options[7] = 99 },
			"step 7: option 99, which is not in the action set"},
		{"an option's other action", "paper", func(in pod.CollectInput, out *pod.CollectOutput) {
			if i := slices.IndexFunc(out.Options, func(o int32) bool { return o >= 0 }); in.K == 1 && i >= 0 {
				out.Actions[i] = 1 - out.Actions[i]
			}
		}, "whose policy takes"},
		{"an option that has ended", "paper", func(in pod.CollectInput, out *pod.CollectOutput) {
			for i, o := range out.Options {
				if in.K == 1 && i > 0 && o < 0 && out.Options[i-1] >= 0 {
					out.Options[i] = out.Options[i-1]
				}
			}
		}, "in which it does not act"},
		{"a state", "paper", func(in pod.CollectInput, out *pod.CollectOutput) {
			out.Next = slices.Repeat([]int{in.State + 17}, len(out.Actions))
		}, "cannot lead from state"},
		{"another beginning", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Start = 17 },
			"the iteration begins in state 17"},
		{"a beginning that is none", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Start = 1 << 20 },
			"state 1048576; there are 4096 states"},
		{"rewards", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) {
			out.Rewards = make([]float64, len(out.Actions))
		}, "declares none"},
		{"an end", "paper", func(_ pod.CollectInput, out *pod.CollectOutput) {
			out.Ends = make([]envs.EpisodeEnd, len(out.Actions))
			out.Ends[4], out.Starts = envs.Terminated, []int{0}
		}, "the episode is terminated after a step"},
		{"an impossible state", "slippery", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Next[2] = 80 },
			"cannot lead from state"},
		{"no states", "slippery", func(_ pod.CollectInput, out *pod.CollectOutput) { out.Next, out.Ends = nil, nil },
			"a step to state -1"},
		{"an end too few", "episodes", func(_ pod.CollectInput, out *pod.CollectOutput) {
			clear(out.Ends)
			out.Starts = nil
		}, "but in the environment it is terminated"},
		{"a beginning of another episode", "episodes", func(_ pod.CollectInput, out *pod.CollectOutput) {
			for i := range out.Starts {
				out.Starts[i] = 1
			}
		}, "the next episode begins in state 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			spec, set := declareWalk(t, walkCases(t)[c.env], &servedWalk{change: c.change})
			if c.env == "episodes" {
				spec.Steps = 5000 // until an episode ends
			}
			checkLie(t, spec, set, c.want)
		})
	}
}
