package why

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"pgregory.net/rapid"
)

// TestSources counts the steps of recorded runs again, one by one.
func TestSources(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Seed = 5
			run := performed(t, spec, 3)
			for k := range run.Iterations {
				for _, p := range selected(t, run, k) {
					checkSteps(t, run, asked(t, run, k, p.J, p.Sign))
				}
			}
		})
	}
}

// TestSourcesOfAnyWalk does the same for steps that follow no policy, with options that are called twice in a row, and
// calls that are cut by the ends of chunks and of iterations.
func TestSourcesOfAnyWalk(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		spec := small(rapid.Int64Range(1, 4).Draw(t, "bits"), 0)
		spec.Kappa = 0.5
		spec.Dataset = rapid.SampledFrom([]schema.Dataset{schema.PerIteration, schema.Cumulative}).Draw(t, "dataset")
		walks := [][]schema.Transitions{}
		p := &pen{bits: int(spec.Env.Params["bits"])}
		for range rapid.IntRange(1, 3).Draw(t, "iterations") {
			p = &pen{bits: p.bits, state: p.state}
			drawWalk(t, p, len(walks) > 0)
			walks = append(walks, p.chunks)
		}
		run := handmade(t, filepath.Join(dir, fmt.Sprint(n, ".db")), spec, walks)
		for k := range walks {
			for _, p := range selected(t, run, k) {
				checkSteps(t, run, asked(t, run, k, p.J, p.Sign))
			}
		}
	})
}

// drawWalk writes some calls of the two options that every first iteration makes,
// and cuts the chunk anywhere.
func drawWalk(t *rapid.T, p *pen, options bool) {
	lowest := schema.Primitive
	for range rapid.IntRange(1, 8).Draw(t, "calls") {
		option := schema.Primitive
		if options {
			option = rapid.IntRange(lowest, 1).Draw(t, "option")
		}
		p.act(option, rapid.StringMatching(`[+-]{1,6}`).Draw(t, "moves"))
		if rapid.Bool().Draw(t, "cut") {
			p.cut()
			if rapid.Bool().Draw(t, "goes on") {
				p.act(option, rapid.StringMatching(`[+-]{1,3}`).Draw(t, "moves"))
			}
		}
	}
	if last := len(p.chunks) - 1; len(p.chunks[last].Actions) == 0 {
		p.chunks = p.chunks[:last]
	}
}

// checkSteps compares sources and example steps with a naive count.
func checkSteps(t failer, run *recorded.Records, r *Report) {
	t.Helper()
	steps := stepsOf(t, run, r.K)
	source, after := func(s step) string { return s.source }, func(s step) string { return s.after }
	checkSources(t, r, r.Sources, steps, source)
	checkSources(t, r, r.After, steps, after)
	for _, e := range r.Evidence {
		var first []StepRef
		for _, s := range steps {
			if slices.Equal(s.row, e.Row) && len(first) < shownSteps {
				first = append(first, StepRef{K: s.k, Step: int64(s.t), State: s.state, Executing: s.source})
			}
		}
		same := func(x, y StepRef) bool {
			return x.K == y.K && x.Step == y.Step && x.State == y.State && x.Executing == y.Executing
		}
		if !slices.EqualFunc(e.Steps, first, same) {
			t.Fatal(fmt.Sprintf("%s: row %v is shown at %v, first at %v", r.Option, e.Row, e.Steps, first))
		}
	}
}

func checkSources(t failer, r *Report, got []Source, steps []step, of func(step) string) {
	t.Helper()
	counts := map[string]int64{}
	for _, s := range steps {
		counts[of(s)]++
	}
	if len(got) != len(counts) ||
		!slices.IsSortedFunc(got, func(x, y Source) int { return -cmp.Compare(x.Share, y.Share) }) {
		t.Fatal(fmt.Sprintf("%s: %d sources of %d, or they are out of order", r.Option, len(got), len(counts)))
	}
	part := 1e-12 + 1e-15*float64(len(steps)) // what adding them up one by one rounds
	for _, s := range got {
		share, support := parts(r.Purpose.Vector, steps, func(x step) bool { return of(x) == s.Source })
		if s.Steps != counts[s.Source] || !near(s.Share, share, part) || !near(s.Support, support, part) {
			t.Fatal(fmt.Sprintf("%s: %q has %d steps, share %v and support %v, counted %d, %v and %v",
				r.Option, s.Source, s.Steps, s.Share, s.Support, counts[s.Source], share, support))
		}
	}
}

// TestCompleted is the option completed last, call by call: in the first chunk
// option 0 is called twice, in the second its second call goes on, and the last
// call is cut by the end.
func TestCompleted(t *testing.T) {
	first := (&pen{bits: 3}).act(schema.Primitive, "++++++++")
	second := (&pen{bits: 3}).act(schema.Primitive, "+").act(0, "++").act(0, "+").cut().act(0, "-").act(1,
		"-").act(schema.Primitive, "-+").act(1, "++")
	run := handmade(t, filepath.Join(t.TempDir(), "podtrack.db"), small(3, 0),
		[][]schema.Transitions{first.chunks, second.chunks})
	r := asked(t, run, 1, 1, 1)
	names := optionNames(t, run)
	got := map[string]int64{}
	for _, s := range r.After {
		got[s.Source] = s.Steps
	}
	// Nothing is completed before the second call of option 0 begins, which is 3 steps
	// in; its own 2 steps and the next call's 1 follow option 0, the other 4 option 1.
	if want := map[string]int64{"": 3, names[0]: 3, names[1]: 4}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("completed before: %v, want %v", got, want)
	}
}

// TestChunksOfARun has more steps in an iteration than a chunk holds.
func TestChunksOfARun(t *testing.T) {
	schematest.SkipUnlessLong(t)
	spec := small(6, 0)
	spec.Steps = schema.ChunkSteps + 4321
	run := performed(t, spec, 2)
	if chunks := len(transitionsOf(t, run, 1)); chunks != 2 {
		t.Fatalf("%d chunks", chunks)
	}
	checkSteps(t, run, asked(t, run, 1, 3, 1))
}
