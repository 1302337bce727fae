package figure

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const benchmarkOutput = `goos: linux
pkg: example.org/x/store
BenchmarkMany/merge/runs=10-2         	       1	 200000000 ns/op	  12 B/op
BenchmarkMany/merge/runs=1000-2       	       1	20000000000 ns/op
BenchmarkMany/merge/runs=10-2         	       1	 100000000 ns/op
BenchmarkMany/merge/runs=10-2         	       1	 900000000 ns/op
BenchmarkMany/runs=10/do=ls           	     500	   3.5 ns/op
BenchmarkMany/runs=100/do=ls          	     500	   3.5 ns/op
BenchmarkOnce/runs=10-2               	       1	 1 ns/op
BenchmarkOpen-2                       	       1	 1 ns/op
BenchmarkBrokenLine/runs=10
--- BENCH: BenchmarkOpen-2
PASS
pkg: example.org/x/pod
BenchmarkMany/runs=2-2 1 4 ns/op
BenchmarkMany/runs=4-2 1 64 ns/op
ok  	example.org/x/pod	1.5s
`

// TestReadBenchmarks reads an output with several times of one size, a size in the middle of a
// name, one benchmark in two packages, and lines that do not count.
func TestReadBenchmarks(t *testing.T) {
	f, err := ReadBenchmarks(strings.NewReader(benchmarkOutput))
	if err != nil {
		t.Fatal(err)
	}
	want := Benchmarks{Panels: []BenchmarkPanel{
		{Name: "store.Many", Size: "runs", Curves: []BenchmarkCurve{
			{"merge", []Point{{10, 0.2}, {1000, 20}}, 1}, {"do=ls", []Point{{10, 3.5e-9}, {100, 3.5e-9}}, 0},
		}},
		{Name: "pod.Many", Size: "runs", Curves: []BenchmarkCurve{{"", []Point{{2, 4e-9}, {4, 64e-9}}, 4}}},
	}}
	if diff := cmp.Diff(want, f, cmpopts.EquateApprox(1e-12, 1e-12)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadBenchmarksRefuses(t *testing.T) {
	for _, text := range []string{"", "PASS\n", "BenchmarkX/n=1 1 5 ns/op\n",
		"BenchmarkX/n=0 1 5 ns/op\nBenchmarkX/n=1 1 5 ns/op\n"} {
		if _, err := ReadBenchmarks(strings.NewReader(text)); !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"BenchmarkX/n=1 1 -5 ns/op", "BenchmarkX/n=1 1 NaN ns/op",
		"BenchmarkX/n=1 1 1e999 ns/op", "BenchmarkX/n=1 1 x ns/op"} {
		if _, err := ReadBenchmarks(strings.NewReader(text)); err == nil || errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
