package why

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestLaplacianShares: on the path 0 – 1 – 2 the smoothest direction is (1/2, 1/√2, 1/2), with σ = 2.
// Each of both pairs is (1/2 + 1/2)² = 1 of it, and each step of a pair has an equal part.
func TestLaplacianShares(t *testing.T) {
	moves := []schema.SparseRow{envs.UnitDifference(0, 1), envs.UnitDifference(1, 0), envs.UnitDifference(1, 2),
		envs.UnitDifference(2, 2)}
	d := newStepCounts()
	d.by[executing][-1], d.by[executing][0] = compact(count{3, 0, 1, 1}), compact(count{0, 1, 1})
	d.by[completed][schema.Primitive] = compact(count{3, 1, 2, 1})
	got := laplacianShares([]float64{0.5, math.Sqrt(0.5), 0.5}, moves, d)
	for row, want := range []float64{3. / 8, 1. / 8, 1. / 2, 0} {
		if !near(got.row[row], want, 1e-15) {
			t.Errorf("transition %d has the share %v, want %v", row, got.row[row], want)
		}
	}
	if !near(got.by[executing][-1], 5./8, 1e-15) || !near(got.by[executing][0], 3./8, 1e-15) ||
		!near(got.by[completed][schema.Primitive], 1, 1e-15) {
		t.Errorf("shares %+v", got)
	}
}

// TestSuccessorShares: after 0 → 1 and 1 → 0, y(0) = αe(0) and y(1) = α(e(1) + γαe(0)). The first
// step is behind both, the second behind αe(1). Where the second ends the episode, it puts γe(0) in.
func TestSuccessorShares(t *testing.T) {
	const alpha, gamma, e0, e1 = matrix.StepSize, 0.9, 0.6, -0.8
	y0, y1 := alpha*e0, alpha*(e1+gamma*alpha*e0)
	z1 := alpha * (e1 + gamma*e0)
	for name, c := range map[string]struct {
		terminal bool
		want     []float64
	}{
		"goes on": {false, []float64{
			(y0*alpha*e0 + y1*alpha*gamma*alpha*e0) / (y0*y0 + y1*y1),
			y1 * alpha * e1 / (y0*y0 + y1*y1),
		}},
		"terminates": {true, []float64{y0 * y0 / (y0*y0 + z1*z1), z1 * z1 / (y0*y0 + z1*z1)}},
	} {
		a := &audit{
			run:  &recorded.Records{Run: tracker.Run{Spec: schema.Spec{Gamma: gamma}}},
			rows: &rows{vectors: []schema.SparseRow{envs.UnitDifference(0, 1), envs.UnitDifference(1, 0)}},
			traces: map[int][]tracedStep{0: {
				{move: envs.Transition{State: 0, Next: 1}, by: [roles]int32{-1, -1}, row: 0},
				{move: envs.Transition{State: 1, Next: 0, Terminal: c.terminal}, by: [roles]int32{4, -1}, row: 1},
			}},
		}
		got, err := a.successorShares(t.Context(), 0, []float64{e0, e1}, nil)
		ok(t, err)
		for i, want := range c.want {
			if !near(got.row[i], want, 1e-14) {
				t.Errorf("%s: step %d has the share %v, want %v", name, i, got.row[i], want)
			}
		}
		if got.by[executing][-1] != got.row[0] || got.by[executing][4] != got.row[1] ||
			!near(got.by[completed][-1], 1, 1e-14) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// methodSpecs are specs of the methods with a matrix in a map of few states.
func methodSpecs(t *testing.T) map[string]schema.Spec {
	all := map[string]schema.Spec{}
	add := func(name string, method schema.Method, change func(*schema.Spec)) {
		for _, reading := range schema.Readings() {
			spec := pod.PaperSpec()
			var err error
			spec.Env, err = envs.DefaultEnv("grid")
			ok(t, err)
			spec.Env.Text[envs.MapParameter], spec.Method, spec.Gamma, spec.Steps = "3,3\nS..\n.X.\n...\n", method, 0.9, 200
			spec.Kappa, spec.Select = 0, "top=2"
			ok(t, spec.SetReading(reading))
			if change(&spec); spec.Validate() != nil && method == schema.Covering {
				continue // which has no other basis
			}
			ok(t, spec.Validate())
			all[name+", "+reading] = spec
		}
	}
	visited := func(s *schema.Spec) { s.StateSet = schema.VisitedStates }
	add("laplacian", schema.Laplacian, func(*schema.Spec) {})
	add("laplacian, visited", schema.Laplacian, visited)
	add("successor", schema.Successor, func(*schema.Spec) {})
	add("successor, visited", schema.Successor, func(s *schema.Spec) {
		visited(s)
		s.PsiGamma = 0.6
	})
	add("successor in passes", schema.Successor, func(s *schema.Spec) { s.PsiPasses = 3 })
	add("symmetric part", schema.Successor, func(s *schema.Spec) {
		visited(s)
		s.PsiPart, s.PsiPasses, s.Restart = schema.SymmetricPart, 2, schema.EachIteration
	})
	add("features in passes", schema.SuccessorFeatures, func(s *schema.Spec) { s.PsiPasses = 3 })
	add("features", schema.SuccessorFeatures, func(*schema.Spec) {})
	add("other features", schema.SuccessorFeatures, func(s *schema.Spec) {
		s.Env.Text["observe"], s.PsiGamma = envs.RowAndColumn, 0.6
	})
	add("covering", schema.Covering, func(s *schema.Spec) { s.Select = "top=1" })
	add("covering, visited, cumulative", schema.Covering, func(s *schema.Spec) {
		visited(s)
		s.Select, s.Dataset = "top=1", schema.Cumulative
	})
	add("counts", schema.Counts, visited)
	return all
}

// TestStateShares compares the shares of recorded runs with what they are parts of: those of a source with the matrix
// that its steps alone make, given that Ψ and 2I − L are known.
func TestStateShares(t *testing.T) {
	for name, spec := range methodSpecs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := performed(t, spec, 3)
			for k := range run.Iterations {
				for _, p := range selected(t, run, k) {
					r := asked(t, run, k, p.J, p.Sign)
					checkWholes(t, r)
					checkStateSources(t, run, r, p.Vector)
				}
			}
		})
	}
}

// checkWholes adds shares up.
func checkWholes(t *testing.T, r *Report) {
	t.Helper()
	sums, steps := [3]float64{}, [3]int64{}
	for _, e := range r.Evidence {
		sums[0], steps[0] = sums[0]+e.Share, steps[0]+e.Count
		first := e.Steps[0]
		if e.From != nil && (*e.From != first.State || *e.To != first.Next) || first.Executing == "" {
			t.Errorf("%s: evidence %+v", r.Option, e)
		}
	}
	for i, list := range [][]Source{r.Sources, r.After} {
		for _, s := range list {
			sums[i+1], steps[i+1] = sums[i+1]+s.Share, steps[i+1]+s.Steps
		}
	}
	for i, sum := range sums {
		if !near(sum, 1, 1e-9) || steps[i] != steps[0] || steps[0]%200 != 0 {
			t.Errorf("%s: shares %v of %v steps", r.Option, sums, steps)
		}
	}
}

// checkStateSources compares the shares of sources with those of a pass over the steps forward, in
// which only the source's steps put anything in (successor), or of its steps between each pair
// (laplacian).
func checkStateSources(t *testing.T, run *recorded.Records, r *Report, e []float64) {
	t.Helper()
	a := &audit{run: run, env: run.Env, k: r.K, spec: run.SpecAt(r.K)}
	a.begin, a.rows = recorded.FirstNumbers(run.Iterations[:r.K]), newRows(a.env)
	a.rows.byMove = run.Spec.Method.IsOnStates()
	var steps []tracedStep
	for k := a.firstOf(r.K); k <= r.K; k++ {
		more, err := a.trace(k)
		ok(t, err)
		for range run.Spec.SuccessorPasses() {
			steps = append(steps, more...)
		}
	}
	share := map[schema.Method]func() func(int32) float64{
		schema.Laplacian: func() func(int32) float64 { return naiveLaplacian(steps, e) },
		schema.Successor: func() func(int32) float64 { return naiveSuccessor(steps, e, run.Spec) },
		schema.SuccessorFeatures: func() func(int32) float64 {
			return naiveFeatures(a.env, steps, e, run.Spec.SuccessorGamma())
		},
		schema.Covering: func() func(int32) float64 {
			f, _, err := run.Selection(r.K)
			ok(t, err)
			return naiveCovering(steps, selection.NewDirections(run.Spec, r.K, f).Vector(0))
		},
		schema.Counts: func() func(int32) float64 { return naiveCounts(steps, 200) },
	}[run.Spec.Method]()
	for _, s := range r.Sources {
		if want := share(int32(s.number)); !near(s.Share, want, 1e-9) {
			t.Errorf("%s: %s has the share %v, want %v", r.Option, s.Source, s.Share, want)
		}
	}
}

func naiveSuccessor(steps []tracedStep, e []float64, spec schema.Spec) func(source int32) float64 {
	pass := func(of func(tracedStep) bool) []float64 {
		y := make([]float64, len(e))
		for _, s := range steps {
			in := 0.0
			if of(s) {
				in = e[s.move.State]
			}
			y[s.move.State] = (1-matrix.StepSize)*y[s.move.State] + matrix.StepSize*(in+spec.SuccessorGamma()*y[s.move.Next])
		}
		return y
	}
	whole := pass(func(tracedStep) bool { return true })
	return func(source int32) float64 {
		alone := pass(func(s tracedStep) bool { return s.by[executing] == source })
		weights := whole // Σ(Ψe)², or eᵀΨe
		if spec.PsiPart == schema.SymmetricPart {
			weights = e
		}
		product, all := 0.0, 0.0
		for i, y := range whole {
			product, all = product+weights[i]*alone[i], all+weights[i]*y
		}
		return product / all
	}
}

func naiveLaplacian(steps []tracedStep, e []float64) func(source int32) float64 {
	neighbours, of := map[int32][]int32{}, map[[2]int32][]tracedStep{}
	for _, s := range steps {
		x, y := min(s.move.State, s.move.Next), max(s.move.State, s.move.Next)
		if x == y {
			continue
		}
		if !slices.Contains(neighbours[x], y) {
			neighbours[x], neighbours[y] = append(neighbours[x], y), append(neighbours[y], x)
		}
		of[[2]int32{x, y}] = append(of[[2]int32{x, y}], s)
	}
	return func(source int32) float64 {
		part, whole := 0.0, 0.0
		for pair, all := range of {
			x := 0.0
			for _, state := range pair {
				x += e[state] / math.Sqrt(float64(len(neighbours[state])))
			}
			mine := 0
			for _, s := range all {
				if s.by[executing] == source {
					mine++
				}
			}
			part, whole = part+x*x*float64(mine)/float64(len(all)), whole+x*x
		}
		return part / whole
	}
}

// naiveFeatures is as naiveSuccessor, with the weights of features in place of the values of states.
func naiveFeatures(env envs.Env, steps []tracedStep, e []float64, gamma float64) func(source int32) float64 {
	phi := func(s int32) []float64 {
		row := make([]float64, len(e))
		env.Observe(int(s), row)
		return row
	}
	value := func(y []float64, s int32) (sum float64) {
		for i, x := range phi(s) {
			sum += x * y[i]
		}
		return sum
	}
	pass := func(of func(tracedStep) bool) []float64 {
		y := make([]float64, len(e))
		for _, s := range steps {
			in, square := 0.0, 0.0
			for i, x := range phi(s.move.State) {
				in, square = in+x*e[i], square+x*x
			}
			if !of(s) {
				in = 0
			}
			change := matrix.StepSize / max(1, square) * (in + gamma*value(y, s.move.Next) - value(y, s.move.State))
			for i, x := range phi(s.move.State) {
				y[i] += change * x
			}
		}
		return y
	}
	whole := pass(func(tracedStep) bool { return true })
	observations := map[string]int32{}
	for _, s := range steps {
		observations[fmt.Sprint(phi(s.move.State))] = s.move.State
	}
	return func(source int32) float64 {
		alone := pass(func(s tracedStep) bool { return s.by[executing] == source })
		product, square := 0.0, 0.0
		for _, s := range observations {
			product += value(whole, s) * value(alone, s)
			square += value(whole, s) * value(whole, s)
		}
		return product / square
	}
}

// naiveCovering gives each step its part of the square of what the Fiedler vector changes by.
func naiveCovering(steps []tracedStep, v []float64) func(source int32) float64 {
	pairs, whole := map[[2]int32]float64{}, 0.0
	pair := func(s tracedStep) [2]int32 {
		return [2]int32{min(s.move.State, s.move.Next), max(s.move.State, s.move.Next)}
	}
	for _, s := range steps {
		pairs[pair(s)]++
	}
	change := func(p [2]int32) float64 { return (v[p[0]] - v[p[1]]) * (v[p[0]] - v[p[1]]) }
	for p := range pairs {
		whole += change(p)
	}
	return func(source int32) (share float64) {
		for _, s := range steps {
			if s.by[executing] == source {
				share += change(pair(s)) / pairs[pair(s)] / whole
			}
		}
		return share
	}
}

// naiveCounts gives each visit 1/n², n being the visits of its state; iterations have so many steps.
func naiveCounts(steps []tracedStep, iteration int) func(source int32) float64 {
	type visit struct {
		state  int32
		source int32
	}
	var visits []visit
	n, whole := map[int32]float64{}, 0.0
	for i, s := range steps {
		if i%iteration == 0 {
			visits = append(visits, visit{s.move.State, s.by[executing]})
		}
		visits = append(visits, visit{s.move.Next, s.by[executing]})
	}
	for _, v := range visits {
		n[v.state]++
	}
	for _, of := range n {
		whole += 1 / of
	}
	return func(source int32) (share float64) {
		for _, v := range visits {
			if v.source == source {
				share += 1 / (n[v.state] * n[v.state]) / whole
			}
		}
		return share
	}
}
