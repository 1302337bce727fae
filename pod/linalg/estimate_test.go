package linalg_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

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
	line := regexp.MustCompile(`(?m)^Benchmark(\S+)/(?:states|features)=(\d+)-\d+\s+1\s+(\d+) ns/op`)
	compared := map[linalg.Factoring]bool{}
	for _, m := range line.FindAllStringSubmatch(string(costs), -1) {
		how, known := hows[m[1]]
		size, _ := strconv.Atoi(m[2])
		took, _ := strconv.ParseInt(m[3], 10, 64)
		if !known || took < int64(100*time.Millisecond) {
			continue
		}
		compared[how] = true
		estimate := how.EstimateTime(size, 4*int64(size))
		if ratio := float64(estimate) / float64(took); ratio < 0.5 || ratio > 2 {
			t.Errorf("%s of %d columns: estimated %v, took %v", m[1], size, estimate, time.Duration(took))
		}
	}
	if len(compared) != len(hows) {
		t.Errorf("times of %v alone", compared)
	}
}
