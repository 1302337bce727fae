package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// fullSweeps follows the definition: every sweep evaluates every state.
func fullSweeps(m *envs.Model, w []float64, gamma float64, sweeps int64) []float64 {
	v := make([]float64, m.States)
	for range sweeps {
		next := make([]float64, m.States)
		for s := range next {
			next[s] = slices.Max(append(fullBackup(m, w, v, gamma, s), 0))
		}
		v = next
	}
	return v
}

// fullBackup returns q(s,·) of v.
func fullBackup(m *envs.Model, w, v []float64, gamma float64, s int) []float64 {
	var q []float64
	for a := range m.Actions {
		n := m.Next(s, a)
		q = append(q, w[n]-w[s]+float64(gamma*v[n]))
	}
	return q
}

func equalBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// newModel returns the model in which actions lead where step says.
func newModel(t interface {
	Helper()
	Fatal(...any)
}, states, actions int, step func(s, a int) int) *envs.Model {
	t.Helper()
	names := make([]string, actions)
	for a := range names {
		names[a] = fmt.Sprint("a", a)
	}
	env, err := envs.Graph{States: states, Actions: names, Step: step}.Env()
	schematest.Must(t, err)
	return env.Model()
}

// drawModel returns any graph, with loops, unreachable states, and several actions with
// one successor.
func drawModel(t *rapid.T) *envs.Model {
	states := rapid.IntRange(1, 200).Draw(t, "states")
	actions := rapid.IntRange(1, 4).Draw(t, "actions")
	next := rapid.SliceOfN(rapid.IntRange(0, states-1), states*actions, states*actions).Draw(t, "next")
	return newModel(t, states, actions, func(s, a int) int { return next[s*actions+a] })
}

// drawPotential mixes real numbers with a few that make ties.
func drawPotential(t *rapid.T, states int) []float64 {
	x := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 0, 0.25, 1}))
	return rapid.SliceOfN(x, states, states).Draw(t, "w")
}

var drawnGamma = rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 0.99}), rapid.Float64Range(0, 0.9999))

func swept(t rapid.TB, sw *sweeper, w []float64, sweeps int64) {
	t.Helper()
	copy(sw.potential(), w)
	if err := sw.run(context.Background(), sweeps); err != nil {
		t.Fatal(err)
	}
}

// TestSweeps: evaluating only states that a change can reach gives the bits of full
// sweeps, in memory that was used for other purposes before.
func TestSweeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, gamma := drawModel(t), drawnGamma.Draw(t, "gamma")
		sw := newSweeper(m, gamma)
		for range rapid.IntRange(1, 3).Draw(t, "purposes") {
			w, sweeps := drawPotential(t, m.States), rapid.Int64Range(1, 150).Draw(t, "sweeps")
			swept(t, sw, w, sweeps)
			if want := fullSweeps(m, w, gamma, sweeps); !equalBits(sw.values(), want) {
				t.Fatalf("v = %v, full sweeps give %v", sw.values(), want)
			}
			q := make([]float64, m.Actions)
			for s := range m.States {
				sw.q(s, q)
				if want := fullBackup(m, w, sw.values(), gamma, s); !equalBits(q, want) {
					t.Fatalf("q(%d) = %v, want %v", s, q, want)
				}
			}
		}
	})
}

// TestSweepsStop: sweeps that change nothing are not made.
func TestSweepsStop(t *testing.T) {
	sw := newSweeper(newModel(t, 4, 2, func(s, a int) int { return min(max(s+2*a-1, 0), 3) }), 0.5)
	swept(t, sw, []float64{0, 0, 0, 1}, 1<<30)
	if want := []float64{0.25, 0.5, 1, 0}; !equalBits(sw.values(), want) {
		t.Errorf("v = %v, want %v", sw.v, want)
	}
}

// purposesOfWalk returns the purposes of a first walk of 1000 steps.
func purposesOfWalk(t testing.TB, env envs.Env, seed uint64, basis schema.Basis) []schema.Purpose {
	t.Helper()
	c := collect.Collector{Env: env, Stream: rng.NewStream(seed, 0, collect.WalkStream), Executing: schema.Primitive}
	chunk := schema.Transitions{Arity: len(env.Actions())}
	_ = c.Collect(context.Background(), &chunk, 1000)
	stats := collect.NewTransitionStats(env, collect.OptionSet{}, 0)
	if err := stats.Add(&chunk); err != nil {
		t.Fatal(err)
	}
	f, err := linalg.Factor(context.Background(), linalg.Reduced, stats.Dataset())
	if err != nil {
		t.Fatal(err)
	}
	spec := schema.Spec{Basis: basis, Kappa: 1}
	return selection.NewDirections(spec, 0, f).WithVectors(selection.SignedAbove(spec, f))
}

// TestSweepsOnRing compares the paper's own purposes, 4096 states and 100 sweeps.
func TestSweepsOnRing(t *testing.T) {
	for _, hide := range []int{0, 3} {
		env := podtest.Ring(t, 12, hide)
		sw, w := newSweeper(env.Model(), 0.99), make([]float64, env.Model().States)
		for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
			purposes := purposesOfWalk(t, env, 0, basis)
			if len(purposes) < 4 {
				t.Fatalf("only %d purposes", len(purposes))
			}
			for _, p := range purposes[:schematest.Size(2, len(purposes))] {
				env.Potential(p.Vector, w)
				swept(t, sw, w, 100)
				if !equalBits(sw.values(), fullSweeps(env.Model(), w, 0.99, 100)) {
					t.Errorf("%s, %d hidden, purpose %d%+d: other bits than full sweeps", basis, hide, p.J, p.Sign)
				}
			}
		}
	}
}

// cancelledAfter is a context that is cancelled at its n-th check.
type cancelledAfter struct {
	context.Context
	n int
}

func (c *cancelledAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestSweepsCancelled: after a cancellation at any point the memory can be used for the
// next purpose.
func TestSweepsCancelled(t *testing.T) {
	env := podtest.Ring(t, 6, 0)
	sw, w := newSweeper(env.Model(), 0.99), make([]float64, env.Model().States)
	for patience := range 20 {
		env.Potential([]float64{1, 0, -1, 0.5, 0, 0.25}, w)
		copy(sw.potential(), w)
		err := sw.run(&cancelledAfter{context.Background(), patience}, 100)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d sweeps: %v, want context.Canceled", patience, err)
		}
		env.Potential([]float64{-1, 0, 0, 0, 0.5, 1}, w)
		swept(t, sw, w, 100)
		if !equalBits(sw.values(), fullSweeps(env.Model(), w, 0.99, 100)) {
			t.Errorf("cancelled after %d sweeps, the next purpose has other bits", patience)
		}
	}
}

// TestPredecessorMasks: the masks of a block give exactly the states that have one of the
// given states as a successor.
func TestPredecessorMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		watched := make([]uint64, m.Blocks())
		got, want := make([]uint64, m.Blocks()), make([]uint64, m.Blocks())
		for b := range watched {
			watched[b] = rapid.Uint64().Draw(t, "states")
			for _, v := range m.MasksOf(b) {
				got[v.Block] |= v.PredecessorsOf(watched[b])
			}
		}
		for s := range m.States {
			for a := range m.Actions {
				if n := m.Next(s, a); watched[n/64]>>(n%64)&1 == 1 {
					want[s/64] |= 1 << (s % 64)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%x is seen from %x, want %x", watched, got, want)
		}
	})
}

// TestOffsets: a table holds a block's successors in order from their offset on. The
// graphs are made of runs, so that some successors are consecutive and some are not.
func TestOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.IntRange(1, 400).Draw(t, "states")
		actions := rapid.IntRange(1, 3).Draw(t, "actions")
		turn := rapid.SliceOfN(rapid.IntRange(0, states-1), actions, actions).Draw(t, "turn")
		odd := rapid.IntRange(0, states-1).Draw(t, "odd") // a state that stays where it is
		m := newModel(t, states, actions, func(s, a int) int {
			if s == odd {
				return s
			}
			return (s + turn[a]) % states
		})
		table := make([]float64, m.TableSize())
		for s := range states {
			table[s] = float64(s + 1)
		}
		for b := range m.Blocks() {
			m.Gather(b, table)
			for a, at := range m.OffsetsOf(b) {
				for i := range 64 {
					want := 0.0
					if s := b*64 + i; s < states {
						want = float64(m.Next(s, a) + 1)
					}
					if table[int(at)+i] != want {
						t.Fatalf("action %d in state %d: entry %v, want %v", a, b*64+i, table[int(at)+i], want)
					}
				}
			}
		}
	})
}

// TestBackup: the vectorised backup gives the bits of the loop, also for zeros of both
// signs, ties, subnormals and infinities.
func TestBackup(t *testing.T) {
	hard := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.5, 5e-324, -5e-324, 1e308, -1e308,
		1.0000000000000002})
	number := rapid.OneOf(hard, rapid.Float64Range(-2, 2))
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SampledFrom([]int{64, 128, 320}).Draw(t, "entries")
		draw := func(name string) []float64 { return rapid.SliceOfN(number, entries, entries).Draw(t, name) }
		got := tables{w: draw("w"), v: draw("v"), next: make([]float64, entries)}
		for i, x := range got.v {
			got.v[i] = math.Abs(x)
		}
		want := tables{w: got.w, v: got.v, next: make([]float64, entries)}
		blocks, actions := entries/64, rapid.IntRange(1, 5).Draw(t, "actions")
		offsets := rapid.SliceOfN(rapid.Int32Range(0, int32(entries-64)), blocks*actions, blocks*actions)
		lines := rapid.SliceOfDistinct(rapid.Uint16Range(0, uint16(entries/8-1)), rapid.ID[uint16])
		var numbers []byte
		for _, line := range lines.Draw(t, "lines") {
			numbers = binary.LittleEndian.AppendUint16(numbers, line)
		}
		a := backupJob{lines: numbers, offsets: offsets.Draw(t, "offsets"), actions: actions,
			gamma: drawnGamma.Draw(t, "gamma"), changed: make([]uint64, blocks)}
		b := a
		b.changed = make([]uint64, blocks)
		backupLines(&want, &b)
		backup(&got, &a)
		if !slices.Equal(a.changed, b.changed) {
			t.Fatalf("%x changed, want %x", a.changed, b.changed)
		}
		if !equalBits(got.next, want.next) {
			t.Fatalf("next = %v, want %v", got.next, want.next)
		}
	})
}

// TestMasksOfRing: a ring's blocks have four predecessor masks each: both neighbours, within the block and beyond its
// edge.
func TestMasksOfRing(t *testing.T) {
	m := podtest.Ring(t, 10, 0).Model()
	for b := range m.Blocks() {
		if n := len(m.MasksOf(b)); n != 4 {
			t.Errorf("block %d has %d views", b, n)
		}
	}
}
