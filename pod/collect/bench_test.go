package collect_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// BenchmarkCollect is 10,000 steps of the agent's walk, by the number of options in its action set: on the paper's
// ring, which computes its next state, in rooms, which look it up in a table, and in rooms that slip, where chance has
// a part in it.
func BenchmarkCollect(b *testing.B) {
	const steps = 10_000
	rooms := podtest.Grid(b, "four-rooms", 0)
	for _, env := range []struct {
		name string
		envs.SimulatedEnv
		slips bool
	}{
		{"ring", podtest.Ring(b, 12, 0), false},
		{"rooms", rooms, false},
		{"slip", podtest.Grid(b, "four-rooms", 200), true},
	} {
		for _, options := range []int{0, 12, 400} {
			b.Run(fmt.Sprintf("%s/options=%d", env.name, options), func(b *testing.B) {
				c := collect.Collector{Env: env.SimulatedEnv, Options: collect.OptionSet{Options: walkedOptions(env, options)},
					Starts: new(collect.Starts),
					Stream: rng.NewStream(1, 0, collect.WalkStream), State: envs.StartState(env.SimulatedEnv),
					Executing: schema.Primitive}
				if env.slips {
					c.Running = envs.NewRunningEnv(env.SimulatedEnv, 1, 0, c.State)
				}
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					t := schema.Transitions{Start: uint64(c.State), Arity: len(env.Actions())}
					if env.slips {
						t.Next = []uint32{}
					}
					if err := c.Collect(context.Background(), &t, steps); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// walkedOptions returns options that repeat an action, and terminate where it leads nowhere and in a fifth of the other
// states.
func walkedOptions(env envs.SimulatedEnv, n int) (options []*schema.Option) {
	arity := len(env.Actions())
	for i := range n {
		o := &schema.Option{Arity: arity, Policy: make([]int8, env.States()), Certificate: schema.Certificate{MaxSteps: 50}}
		for s := range o.Policy {
			a := i % arity
			if o.Policy[s] = int8(a); env.Step(s, a) == s || (s+i)%5 == 0 {
				o.Policy[s] = schema.Terminate
			}
		}
		options = append(options, o)
	}
	return options
}
