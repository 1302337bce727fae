package figure

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Walk shows the position over time: the paper's Figure 1.
type Walk struct {
	Title      string
	Tracks     []Trace
	Steps      int64   // of the longest track
	Far        bool    // positions are distances from the first state
	Boundaries []int64 // steps at which iterations begin, but for the first
}

// ReadWalks reads the walks of parts for a picture with so many pixel columns, and beside them the walk that the first
// part's seed gives with primitive actions alone.
func ReadWalks(ctx context.Context, parts []Source, columns int) (Walk, error) {
	w := Walk{Title: "Position over time"}
	for i, p := range parts {
		_, ring := envs.As[*envs.Ring](p.Env)
		_, metric := envs.As[envs.Metric](p.Env)
		if w.Far = w.Far || metric; envs.HasActions(p.Env) && !ring && !metric {
			return w, schema.Hint(fmt.Errorf("%w: environment %q defines no distance between states", ErrEmpty,
				p.Spec.Env.Name), "podtrack plot coverage %s shows how it explores", textfmt.ShellQuote(p.name()))
		}
		steps, boundaries := p.steps()
		if w.Steps = max(w.Steps, steps); i == 0 {
			w.Boundaries = boundaries
		} else if !slices.Equal(w.Boundaries, boundaries) {
			w.Boundaries = nil
		}
	}
	var err error
	w.Tracks, err = readTraces(ctx, parts, columns, true, followPosition)
	return w, err
}

// CheckParts returns an error for more runs than a picture over time tells apart.
func CheckParts(n int) error {
	if n > chart.MaxSeries { // one for each colour
		return schema.Hint(fmt.Errorf("%d runs in one picture", n),
			"choose at most %d, or draw groups with --by, such as --by kappa", chart.MaxSeries)
	}
	return nil
}

// followPosition returns functions that add the position after each step of a walk: see [follower]. In an environment
// with episodes each iteration begins with a new one.
func followPosition(s Source, r *chart.Reducer) (func(recorded.Step), func(int, int64)) {
	_, begins := s.steps()
	position := recorded.NewPositionFunc(s.Env, begins)
	r.Add(0, 0)
	return func(step recorded.Step) { r.Add(float64(step.T+1), float64(position(step))) }, func(int, int64) {}
}

// Table implements [Figure].
func (w Walk) Table() DataTable { return traceTable(w.Tracks, "position") }

func (w Walk) caption() string {
	what := "steps to the right of the first state, not wrapped round"
	if w.Far {
		what = "distance from the first state, in steps"
	}
	return fmt.Sprintf("%s of %s: %s, against steps.", w.Title, traceList(w.Tracks), what)
}

const maxBoundaries = 60 // above which dashed lines would hide the walk

// chart returns the walk without options behind the others.
func (w Walk) chart() chart.Chart {
	c := chart.Chart{Title: w.Title, Keys: trackKeys(w.Tracks), Columns: 1}
	position := "position (states right of the start, unwrapped)"
	if w.Far {
		position = "distance from the first state (steps)"
	}
	p := tracePanel(w.Steps, chart.Axis{Label: position, Margin: true}, 1, w.Tracks, 0.8)
	switch n := len(w.Boundaries); {
	case n > maxBoundaries:
		c.Notes = []string{fmt.Sprintf("%d iterations; their boundaries are not drawn.", n+1)}
	case n > 0:
		c.Keys = append(c.Keys, chart.Key{Text: "iteration boundary", Ink: chart.Pale, Dash: chart.Dashed})
		p.Marks = slices.Insert(p.Marks, 0, chart.Mark(chart.Boundaries(w.Boundaries)))
	}
	if n := len(w.Tracks); n == 2 && w.Tracks[1].Primitive && slices.Equal(w.Tracks[0].Points, w.Tracks[1].Points) {
		c.Notes = append(c.Notes, "Without options both walks are the same.")
	}
	c.Panels = []chart.Panel{p}
	return c
}

func stepAxis(steps int64) chart.Axis {
	return chart.Axis{Label: "step", High: float64(steps), Whole: true, Plain: true}
}

const primitiveSteps = 1 << 16 // drawn at once

// visitPrimitiveSteps does the same as [Source.visitSteps] for an agent without options: it visits the steps that the
// run would have taken with κ above every σ. It draws from the run's own streams, so that both have the same iteration
// 0. For imported data there is no such stream; the agent starts where the environment does.
func (s Source) visitPrimitiveSteps(ctx context.Context, visit func(recorded.Step)) (last int, err error) {
	first, end := s.iterationRange()
	agent := collect.Collector{Env: s.Env, State: envs.StartState(s.Env), Executing: schema.Primitive}
	t := int64(0)
	for k := range end {
		agent.Stream = rng.NewStream(s.SpecAt(k).Seed, k, collect.WalkStream)
		if err := s.startEnv(ctx, &agent, k); err != nil {
			return 0, err
		}
		for left := s.SpecAt(k).Steps; left > 0; left -= primitiveSteps {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			chunk := schema.Transitions{Start: uint64(agent.State), Arity: len(s.Env.Actions())}
			if err := agent.Collect(ctx, &chunk, int(min(left, primitiveSteps))); err != nil {
				return 0, err
			}
			if k < first {
				continue
			}
			err := recorded.VisitChunk(s.Env, 0, &chunk, func(step recorded.Step) {
				step.T += t
				visit(step)
			})
			if err != nil {
				return 0, err
			}
			t += int64(len(chunk.Actions))
		}
	}
	return agent.State, nil
}

// startEnv starts an environment whose actions do not determine the states for iteration k.
func (s Source) startEnv(ctx context.Context, agent *collect.Collector, k int) (err error) {
	if envs.ActionsDetermineStates(s.Env) {
		return nil
	}
	env, _ := envs.As[envs.ModelEnv](s.Env) // which has a model: see [readTraces]
	agent.Running = envs.NewRunningEnv(env, s.SpecAt(k).Seed, k, agent.State)
	agent.State, err = agent.Running.Reset(ctx)
	return err
}
