package why

import (
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// TestShares checks the evidence of every option of some runs against the definition of shares.
func TestShares(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				spec := spec
				spec.Seed = seed
				run := performed(t, spec, 3)
				for k := range run.Iterations {
					for _, p := range selected(t, run, k) {
						if p.Sign > 0 {
							checkShares(t, asked(t, run, k, p.J, 1), asked(t, run, k, p.J, -1),
								loaded(t, run, k, schema.KindFactors, schema.DecodeFactors)[0])
						}
					}
				}
			}
		})
	}
}

// checkShares compares the two signs of a purpose with each other and with the factors.
func checkShares(t *testing.T, plus, minus *Report, f schema.Factors) {
	t.Helper()
	squares, rewards := sums(plus)
	_, penalties := sums(minus)
	if !near(squares, rewards+penalties, 1e-12) {
		t.Errorf("%s: Σp² is %v, and %v of one sign with %v of the other", plus.Option, squares, rewards, penalties)
	}
	if norm := plus.Purpose.Sigma * plus.Purpose.Sigma; plus.Purpose.Basis == schema.RightSingular &&
		math.Abs(squares-norm) > 1e-9*norm {
		t.Errorf("%s: ‖De‖² is %v, σ² %v", plus.Option, squares, norm)
	}
	for _, r := range []*Report{plus, minus} {
		_, rewarded := sums(r)
		checkWhole(t, r, squares > 0, rewarded > 0)
	}
	for _, x := range plus.Evidence {
		y := minus.Evidence[slices.IndexFunc(minus.Evidence, func(e Evidence) bool {
			return slices.Equal(e.Row, x.Row)
		})]
		if x.Share != y.Share || x.Count != y.Count || x.Product != -y.Product {
			t.Errorf("%s, row %v: share %v with one sign, %v with the other", plus.Option, x.Row, x.Share, y.Share)
		}
		if !near(x.Support*rewards+y.Support*penalties, x.Share*squares, 1e-12) || x.Support > 0 && y.Support > 0 {
			t.Errorf("%s, row %v: supports %v and %v do not complete each other", plus.Option, x.Row, x.Support,
				y.Support)
		}
		checkLeft(t, plus, x, f)
	}
}

// sums returns Σp² and Σmax(p,0)² over the rows of D.
func sums(r *Report) (squares, rewards float64) {
	for _, e := range r.Evidence {
		squares += float64(e.Count) * e.Product * e.Product
		rewards += float64(e.Count) * math.Max(e.Product, 0) * math.Max(e.Product, 0)
	}
	return squares, rewards
}

// checkWhole adds up the shares and supports of rows, of the options that were executed and of those that were
// completed.
func checkWhole(t *testing.T, r *Report, seen, rewarded bool) {
	t.Helper()
	whole := map[bool]float64{true: 1}
	var rows, force, after [2]float64
	var count, steps, before int64
	for _, e := range r.Evidence {
		rows, count = [2]float64{rows[0] + e.Share, rows[1] + e.Support}, count+e.Count
	}
	for _, s := range r.Sources {
		force, steps = [2]float64{force[0] + s.Share, force[1] + s.Support}, steps+s.Steps
	}
	for _, s := range r.After {
		after, before = [2]float64{after[0] + s.Share, after[1] + s.Support}, before+s.Steps
	}
	for what, got := range map[string][2]float64{"rows": rows, "in force": force, "completed": after} {
		if math.Abs(got[0]-whole[seen]) > 1e-12 || math.Abs(got[1]-whole[rewarded]) > 1e-12 {
			t.Errorf("%s, %s: shares add up to %v, supports to %v", r.Option, what, got[0], got[1])
		}
	}
	if count != r.Dataset.Rows || steps != count || before != count {
		t.Errorf("%s: %d rows, %d counted, %d and %d steps", r.Option, r.Dataset.Rows, count, steps, before)
	}
}

// checkLeft compares a right-singular purpose's share of a row with U: count·u².
func checkLeft(t *testing.T, r *Report, e Evidence, f schema.Factors) {
	t.Helper()
	if r.Purpose.Basis != schema.RightSingular {
		return
	}
	for i := range f.Counts {
		if !slices.Equal(f.Row(i), e.Row) {
			continue
		}
		u := linalg.LeftSingularRow(f, f.Rows[i])[r.Purpose.J-1]
		if math.Abs(e.Share-float64(e.Count)*u*u) > 1e-12 {
			t.Errorf("%s, row %v: share %v, count·u² %v", r.Option, e.Row, e.Share, float64(e.Count)*u*u)
		}
		return
	}
	t.Errorf("%s: D has no row %v", r.Option, e.Row)
}

// TestNothingRewarded weighs rows that a purpose does not see, and rows that it
// only punishes.
func TestNothingRewarded(t *testing.T) {
	w := newWeights([]float64{0, 1}, []schema.SparseRow{{{Feature: 0, Value: 1}}, nil}, count{3, 5})
	for row, n := range []int64{3, 5} {
		if share, support := w.row(row, n); share != 0 || support != 0 {
			t.Errorf("row %d has the share %v and the support %v of nothing", row, share, support)
		}
	}
	both := schema.SparseRow{{Feature: 0, Value: 1}, {Feature: 1, Value: 1}}
	w = newWeights([]float64{0, -1}, []schema.SparseRow{both, nil}, count{3, 5})
	if share, support := w.row(0, 3); share != 1 || support != 0 {
		t.Errorf("share %v and support %v of a row that is only punished", share, support)
	}
}
