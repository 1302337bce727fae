package learn

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/schema"
)

// What backing up a line costs: the operations (−, ×, + and max for each state and action), and
// the bytes of w, v and next, which are all that is new to the cache, since successors are
// neighbours.
const (
	lineBytes       = 3 * 8 * lineStates
	lineActionFlops = 4 * lineStates
)

// BenchmarkRoofline measures what this machine can do and what sweeps make of it: how fast one
// core copies memory, how many multiplications and additions it makes, what sweeps over all
// states reach, and how many lines a purpose of the paper takes.
func BenchmarkRoofline(b *testing.B) {
	for _, log := range []int{15, 18, 23, 28} {
		b.Run(fmt.Sprintf("copy/bytes=2^%d", log), func(b *testing.B) { benchmarkCopy(b, 1<<log) })
	}
	b.Run("scalar", benchmarkScalar)
	for _, states := range []int{10, 12, 17, 22} {
		b.Run(fmt.Sprintf("sweep/states=2^%d", states), func(b *testing.B) { benchmarkFullSweeps(b, states) })
	}
	for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
		b.Run("purpose/basis="+string(basis), func(b *testing.B) { benchmarkPurposes(b, basis) })
	}
}

// benchmarkCopy copies half of n bytes over the other half. Bytes that are read and bytes that
// are written count.
func benchmarkCopy(b *testing.B, n int) {
	memory := make([]byte, n)
	for i := range memory {
		memory[i] = byte(i)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		copy(memory[:n/2], memory[n/2:])
	}
}

// benchmarkScalar makes independent multiplications and additions, half of each. A vector
// instruction makes as many in each of its lanes.
func benchmarkScalar(b *testing.B) {
	const rounds = 1000
	x, y, sum := 0.999, 0.5, 0.0
	for b.Loop() {
		sum += multiplyAndAdd(rounds, x, y)
	}
	b.ReportMetric(12*rounds*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
	if sum == 0 {
		b.Fatal("nothing was computed")
	}
}

//go:noinline
func multiplyAndAdd(rounds int, x, y float64) float64 {
	m0, m1, m2, m3, m4, m5 := x, x+1, x+2, x+3, x+4, x+5 // equal ones would be computed once
	a0, a1, a2, a3, a4, a5 := y, y+1, y+2, y+3, y+4, y+5
	for range rounds {
		m0 *= x
		a0 += y
		m1 *= x
		a1 += y
		m2 *= x
		a2 += y
		m3 *= x
		a3 += y
		m4 *= x
		a4 += y
		m5 *= x
		a5 += y
	}
	return m0 + m1 + m2 + m3 + m4 + m5 + a0 + a1 + a2 + a3 + a4 + a5
}

// reportSweeps reports the rates of backing up so many lines an operation.
func reportSweeps(b *testing.B, lines, actions int) {
	all := float64(lines) * float64(b.N) / b.Elapsed().Seconds() / 1e9
	b.ReportMetric(all*float64(actions*lineActionFlops), "Gflop/s")
	b.ReportMetric(all*lineBytes, "GB/s")
	b.ReportMetric(1/all, "ns/line")
}

// benchmarkFullSweeps evaluates all states of a ring.
func benchmarkFullSweeps(b *testing.B, states int) {
	env := podtest.Ring(b, states, 0)
	sw := newSweeper(env.Model(), 0.99)
	vector := make([]float64, states)
	for i := range vector {
		vector[i] = 1 / float64(i+2)
	}
	env.Potential(vector, sw.potential())
	swept(b, sw, append([]float64(nil), sw.potential()...), 3)
	for b.Loop() {
		sw.markAll(0, len(sw.frontier))
		if _, err := sw.sweep(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	reportSweeps(b, len(sw.frontier)*blockLines, sw.Model.Actions)
}

// benchmarkPurposes sweeps for the purposes of a first walk, of 12 bits with 0 and 3 hidden, and
// counts the lines.
func benchmarkPurposes(b *testing.B, basis schema.Basis) {
	type purpose struct {
		sw *sweeper
		w  []float64
	}
	var purposes []purpose
	lines := 0
	for _, hide := range []int{0, 3} {
		env := podtest.Ring(b, 12, hide)
		sw := newSweeper(env.Model(), 0.99)
		for _, p := range purposesOfWalk(b, env, 0, basis) {
			w := make([]float64, sw.Model.States)
			env.Potential(p.Vector, w)
			purposes = append(purposes, purpose{sw, w})
			lines += countLines(b, sw, w, 100)
		}
	}
	for b.Loop() {
		for _, p := range purposes {
			swept(b, p.sw, p.w, 100)
		}
	}
	reportSweeps(b, lines, 2)
	b.ReportMetric(float64(lines)/float64(len(purposes)), "lines/purpose")
}

// countLines returns how many lines the sweeps for a purpose back up.
func countLines(b *testing.B, sw *sweeper, w []float64, sweeps int) (lines int) {
	b.Helper()
	copy(sw.potential(), w)
	clear(sw.v)
	clear(sw.nextFrontier)
	sw.gatherAll(sw.w)
	sw.markAll(0, len(sw.frontier))
	for changing := true; changing && sweeps > 0; sweeps-- {
		for _, states := range sw.frontier {
			lines += bits.OnesCount8(bytesSet(states))
		}
		var err error
		if changing, err = sw.sweep(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	return lines
}
