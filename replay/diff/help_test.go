package diff

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/internal/behaviours"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// rounding is what two numbers with the same value may differ by.
const rounding = 1e-12

var ok = schematest.Must

func ring(t rapid.TB, bits, hide int64) envs.SimulatedEnv {
	t.Helper()
	env, err := envs.NewEnv(schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": bits, "hide": hide}})
	ok(t, err)
	return env.(envs.SimulatedEnv)
}

// recorded is an option as a store has it.
type learnedOption struct {
	option *schema.Option
	value  schema.Value
	gamma  float64
}

// makeOption makes the option of a purpose.
func makeOption(t rapid.TB, env envs.SimulatedEnv, p schema.Purpose, gamma float64) learnedOption {
	t.Helper()
	o, v, err := learn.NewModelLearner(env,
		schema.Spec{Gamma: gamma, Sweeps: 50, Tolerance: 1e-9}).Learn(context.Background(), p)
	ok(t, err)
	return learnedOption{o, slices.Clone(v.(schema.Value)), gamma}
}

// planted returns the option with another action, or ⊥, in one state.
func (l learnedOption) planted(state int, action int8) learnedOption {
	o := *l.option
	o.Policy = slices.Clone(o.Policy)
	o.Policy[state] = action
	return learnedOption{&o, l.value, l.gamma}
}

func (l learnedOption) behaviour(env envs.SimulatedEnv) *behaviours.Behaviour {
	return behaviours.New(env, l.option, l.value, learn.ActionValues(env, l.option.Purpose.Vector, l.value, l.gamma))
}

// source is what sets are made of: directions with σ and the signs that they
// were selected with.
type source struct {
	env        envs.SimulatedEnv
	directions []sourceDirection
	gamma      float64
	basis      schema.Basis
	visits     []behaviours.StateVisits
	modelless  bool
}

type sourceDirection struct {
	vector []float64
	sigma  float64
	signs  []int // in the order +, −
}

// purposes in option order.
func (s source) purposes() []schema.Purpose {
	var list []schema.Purpose
	for j, d := range s.directions {
		for _, sign := range d.signs {
			p := schema.Purpose{J: j + 1, Sign: sign, Sigma: d.sigma, Vector: make([]float64, len(d.vector))}
			for i, x := range d.vector {
				p.Vector[i] = 0 + float64(sign)*x
			}
			list = append(list, p)
		}
	}
	return list
}

// set returns the source as a run would give it, with the options that change may
// have planted something in.
func (s source) set(t rapid.TB, ref string, change func(i int, r learnedOption) learnedOption) *optionSet {
	set := &optionSet{Ref: ref, Basis: s.basis, Visits: s.visits}
	var all []*behaviours.Behaviour
	for i, p := range s.purposes() {
		set.Purposes = append(set.Purposes, signedPurpose{
			Purpose: p, Ref: fmt.Sprintf("%s/%d%+d", ref, p.J, p.Sign),
		})
		if !s.modelless {
			r := makeOption(t, s.env, p, s.gamma)
			if change != nil {
				r = change(i, r)
			}
			all = append(all, r.behaviour(s.env))
		}
	}
	if !s.modelless {
		set.Behaviours = func(list []int) (some []*behaviours.Behaviour, _ error) {
			for _, i := range list {
				some = append(some, all[i])
			}
			return some, nil
		}
	}
	return set
}

// drawSource returns any set that an iteration could select, and some that it could
// not: with vectors that repeat, that are zero, or of which a sign is missing.
func drawSource(t *rapid.T, env envs.SimulatedEnv, name string) source {
	d := len(env.Features())
	s := source{env: env, gamma: rapid.SampledFrom([]float64{0.5, 0.9}).Draw(t, name+" gamma"),
		basis:     rapid.SampledFrom([]schema.Basis{schema.RightSingular, schema.RowsOfV}).Draw(t, name+" basis"),
		modelless: rapid.IntRange(0, 4).Draw(t, name+" without a model") == 0}
	sigma := 10.0
	for i := range rapid.IntRange(0, d).Draw(t, name+" size") {
		sigma *= rapid.SampledFrom([]float64{0.5, 0.999, 1}).Draw(t, fmt.Sprint(name, " σ ratio ", i))
		s.directions = append(s.directions, sourceDirection{
			vector: drawVector(t, fmt.Sprint(name, " ", i), d), sigma: sigma,
			signs: rapid.SampledFrom([][]int{{1, -1}, {1, -1}, {1, -1}, {1}, {-1}}).Draw(t,
				fmt.Sprint(name, " signs ", i)),
		})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, name+" visits") {
		s.visits = append(s.visits, behaviours.StateVisits{
			State: 3 * i % env.Model().States, Steps: rapid.Int64Range(1, 9).Draw(t, fmt.Sprint(name, " steps ", i)),
		})
	}
	return s
}

// drawVector has few values, so that vectors repeat, oppose each other and tie.
func drawVector(t *rapid.T, name string, d int) []float64 {
	values := rapid.SampledFrom([][]float64{{0}, {-1, 0, 1}, {-0.9, -0.3, 0.1, 0.2, 0.7}}).Draw(t, name+" values")
	return rapid.SliceOfN(rapid.SampledFrom(values), d, d).Draw(t, name)
}

// drawOrthonormal returns n vectors of a random orthonormal set in d dimensions.
func drawOrthonormal(t *rapid.T, name string, n, d int) [][]float64 {
	seed := rapid.Uint64().Draw(t, name+" seed")
	return orthonormal(seed, n, d)
}

func drawRing(t *rapid.T) envs.SimulatedEnv {
	return rings[rapid.IntRange(0, len(rings)-1).Draw(t, "ring")]
}

// rings are small, one of them with a single feature.
var rings = func() (list []envs.SimulatedEnv) {
	for _, r := range [][2]int64{{4, 0}, {5, 2}, {3, 2}, {6, 1}} {
		env, err := envs.NewEnv(schema.Env{
			Name: "ring", Version: 1, Params: map[string]int64{"bits": r[0], "hide": r[1]},
		})
		if err != nil {
			panic(err)
		}
		list = append(list, env.(envs.SimulatedEnv))
	}
	return list
}()

func closeTo(t testing.TB, what string, got, want float64) {
	t.Helper()
	if d := got - want; d > rounding || d < -rounding || got != got {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}
