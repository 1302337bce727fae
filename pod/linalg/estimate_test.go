package linalg_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/podtrack/podtrack/pod/linalg"
)

// TestEstimateTime compares the estimates with the times that the benchmarks took which the table of podtrack help
// performance is made of: at the sizes where factoring takes a tenth of a second and more they differ by a factor of 2
// at most.
func TestEstimateTime(t *testing.T) {
	costs, err := os.ReadFile("../../cmd/podtrack/versus/costs.txt")
	if err != nil {
		t.Fatal(err)
	}
	hows := map[string]linalg.Factoring{"FactorFeatures/Gram": linalg.Gram, "FactorFeatures/Reduced": linalg.Reduced,
		"Symmetric": linalg.Symmetric, "Bidiagonal": linalg.Bidiagonal}
	line := regexp.MustCompile(`(?m)^Benchmark(\S+)/(?:states|features)=(\d+)-\d+\s.*\s(\S+) cpu-s/op`)
	type size struct {
		how     linalg.Factoring
		columns int
	}
	least := map[size]float64{} // of the times of each size: other work makes some longer
	for _, m := range line.FindAllStringSubmatch(string(costs), -1) {
		how, known := hows[m[1]]
		columns, _ := strconv.Atoi(m[2])
		seconds, _ := strconv.ParseFloat(m[3], 64)
		if before, measured := least[size{how, columns}]; known && (!measured || seconds < before) {
			least[size{how, columns}] = seconds
		}
	}
	compared := map[linalg.Factoring]bool{}
	for s, seconds := range least {
		if seconds < 0.1 {
			continue
		}
		compared[s.how] = true
		estimate := s.how.EstimateTime(s.columns, 4*int64(s.columns))
		if ratio := estimate.Seconds() / seconds; ratio < 0.5 || ratio > 2 {
			t.Errorf("%s of %d columns: estimated %v, took %v s", s.how, s.columns, estimate, seconds)
		}
	}
	if len(compared) != len(hows) {
		t.Errorf("times of %v alone", compared)
	}
}
