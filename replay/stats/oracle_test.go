package stats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/schematest"
)

// question is two samples of one size, and what this package says of them.
type question struct {
	A, B            []float64
	Level           float64
	Mean            stats.Summary // of B
	Welch, Pairs    stats.Effect
	Low, High       float64 // Wilson's of Successes of 40
	Successes       int
	PValues, Holm   []float64
	BonferroniLevel float64 // of three intervals at Level
}

// TestOracle lets NumPy, and SciPy where it is installed, compute everything again: see
// testdata/oracle.py.
func TestOracle(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy")
	r := rand.New(rand.NewPCG(3, 5))
	var questions []question
	for i := range 24 {
		n, s := 2+i%12, sources[i%4]
		q := question{A: s.sample(r, n), B: s.shifted(r.Float64(), 1+r.Float64()).sample(r, n), Level: stats.Level}
		if i%5 == 4 {
			q.A[0] = q.B[n-1] // a tie
		}
		if i%3 == 0 {
			q.Level = stats.Bonferroni(stats.Level, 3)
		}
		pairs := make([]stats.Pair, n)
		for i := range pairs {
			pairs[i] = stats.Pair{A: q.A[i], B: q.B[i]}
		}
		q.Mean, q.Welch, q.Pairs = stats.Summarise(q.B), stats.Compare(q.A, q.B, q.Level), stats.ComparePairs(pairs, q.Level)
		q.Successes = r.IntN(41)
		q.Low, q.High = stats.Wilson(q.Successes, 40)
		for range 4 {
			q.PValues = append(q.PValues, math.Pow(r.Float64(), 4))
		}
		q.Holm, q.BonferroniLevel = stats.Holm(q.PValues), stats.Bonferroni(q.Level, 3)
		questions = append(questions, q)
	}
	asked, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "testdata/oracle.py")
	c.Stdin = bytes.NewReader(asked)
	out, err := c.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "%d samples agree", len(questions))) {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("SciPy")) {
		if err := schematest.Lacking("this Python has no SciPy"); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%s", out)
}
