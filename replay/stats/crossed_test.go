package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/replay/stats"
)

func crossed(rows ...[]float64) *stats.Estimate {
	c := stats.Crossed{}
	for _, row := range rows {
		c.Add(row)
	}
	return c.Estimate()
}

// TestCrossed has a matrix by hand: row means 2 and 4, column means 2, 3 and 4. Vr = 2/2 = 1, Vc = 1/3, so the
// standard error is √(4/3) with (4/3)²/(1 + (1/9)/2) = 32/19 degrees of freedom. With one row or one column it is
// Student's t of the rest, and where nothing varies the interval is the mean alone.
func TestCrossed(t *testing.T) {
	e := crossed([]float64{1, 2, 3}, []float64{3, 4, 5})
	if e.Value != 3 {
		t.Errorf("mean %v", e.Value)
	}
	half := *e.High - 3
	// SciPy: stats.t.ppf(0.975, 32/19) · √(4/3)
	if want := 5.976997449610558; math.Abs(half-want) > 1e-6 || math.Abs(3-*e.Low-half) > 1e-12 {
		t.Errorf("half of the interval %v, want %v", half, want)
	}
	for name, v := range map[string]struct{ got, want *stats.Estimate }{
		"a row":    {crossed([]float64{1, 2, 6}), stats.Mean([]float64{1, 2, 6})},
		"a column": {crossed([]float64{1}, []float64{2}, []float64{6}), stats.Mean([]float64{1, 2, 6})},
	} {
		if v.got.Value != v.want.Value || *v.got.Low != *v.want.Low || *v.got.High != *v.want.High {
			t.Errorf("%s: %s, want %s", name, words(v.got), words(v.want))
		}
	}
	if e := crossed([]float64{2, 2}, []float64{2, 2}); *e.Low != 2 || *e.High != 2 {
		t.Errorf("where nothing varies: %s", words(e))
	}
	if e := crossed([]float64{2}); e.Low != nil || crossed() != nil {
		t.Error("one value has an interval, or none has a mean")
	}
}

// TestCrossedCovers: of means of matrices with effects of rows, of columns and of cells, drawn anew, 95 % intervals
// hold the true one in at least about 95 % of the cases, whichever of them is the largest, but over two rows, whose
// variance says little, in as few as 88 %. An interval over the rows alone would not, where columns have effects.
func TestCrossedCovers(t *testing.T) {
	const cases = 2000
	r := rand.New(rand.NewPCG(1, 2))
	for _, v := range []struct {
		rows, columns                           int
		ofRows, ofColumns, ofCells, least, most float64
	}{
		{8, 10, 1, 1, 1, 0.935, 0.98}, {8, 10, 1, 0, 0.1, 0.935, 0.99}, {5, 10, 0, 1, 0.1, 0.935, 0.99},
		{10, 10, 0, 0, 1, 0.935, 1}, {3, 10, 1, 1, 3, 0.935, 1}, {30, 10, 1, 3, 1, 0.935, 0.98},
		{2, 10, 2, 1, 0.3, 0.86, 0.91}, {3, 10, 2, 1, 1, 0.91, 0.95},
	} {
		held, ofRows := 0, 0
		for range cases {
			c, shared, means := stats.Crossed{}, make([]float64, v.columns), []float64{}
			for i := range shared {
				shared[i] = v.ofColumns * r.NormFloat64()
			}
			for range v.rows {
				row, own, sum := make([]float64, v.columns), v.ofRows*r.NormFloat64(), 0.0
				for i := range row {
					row[i] = own + shared[i] + v.ofCells*r.NormFloat64()
					sum += row[i]
				}
				c.Add(row)
				means = append(means, sum/float64(v.columns))
			}
			if e := c.Estimate(); *e.Low <= 0 && 0 <= *e.High {
				held++
			}
			if e := stats.Mean(means); *e.Low <= 0 && 0 <= *e.High {
				ofRows++
			}
		}
		share, alone := float64(held)/cases, float64(ofRows)/cases
		if share < v.least || share > v.most {
			t.Errorf("%+v: %v of the intervals hold the mean", v, share)
		}
		if v.ofColumns > v.ofRows && alone > 0.7 {
			t.Errorf("%+v: over rows alone %v of them would", v, alone)
		}
	}
}
