package learn

import (
	"context"
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

// rates are the best of this machine: of bytes that one core copies in its cache and in memory, and of its
// multiplications and additions.
type rates struct{ cache, memory, operations float64 }

// BenchmarkRoofline measures what one core can do, and what sweeps make of it: over all states of a small and of a
// large ring, and for the purposes of the paper.
func BenchmarkRoofline(b *testing.B) {
	var best rates
	b.Run("copy/bytes=2^18", func(b *testing.B) { best.cache = max(best.cache, benchmarkCopy(b, 1<<18)) })
	b.Run("copy/bytes=2^28", func(b *testing.B) { best.memory = max(best.memory, benchmarkCopy(b, 1<<28)) })
	b.Run("scalar", func(b *testing.B) { best.operations = max(best.operations, benchmarkScalar(b)) })
	b.Run("sweep/states=2^12", func(b *testing.B) { benchmarkFullSweeps(b, 12, best.operations, best.cache) })
	b.Run("sweep/states=2^22", func(b *testing.B) { benchmarkFullSweeps(b, 22, best.operations, best.memory) })
	b.Run("purpose", func(b *testing.B) { benchmarkPurposes(b, best) })
}

// benchmarkCopy copies half of n bytes over the other half, and returns the bytes that it reads and writes in a second.
func benchmarkCopy(b *testing.B, n int) float64 {
	memory := make([]byte, n)
	for i := range memory {
		memory[i] = byte(i)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		copy(memory[:n/2], memory[n/2:])
	}
	return float64(n) * float64(b.N) / b.Elapsed().Seconds()
}

// benchmarkScalar makes independent multiplications and additions, half of each, and returns how many a second a vector
// instruction of four lanes makes, which makes as many in each.
func benchmarkScalar(b *testing.B) float64 {
	const rounds, lanes = 1000, 4
	x, y, sum := 0.999, 0.5, 0.0
	for b.Loop() {
		sum += multiplyAndAdd(rounds, x, y)
	}
	if sum == 0 {
		b.Fatal("nothing was computed")
	}
	rate := 12 * lanes * rounds * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate/1e9, "Gflop/s")
	return rate
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

// reportSweeps reports the rates of backing up so many lines an operation, as shares of the operations and of the bytes
// that a core can do in a second.
func reportSweeps(b *testing.B, lines, actions int, operations, bytes float64) {
	all := float64(lines) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(all*float64(actions*lineActionFlops)/operations, "of-operations")
	b.ReportMetric(all*lineBytes/bytes, "of-bytes")
}

// benchmarkFullSweeps evaluates all states of a ring.
func benchmarkFullSweeps(b *testing.B, bits int, operations, bytes float64) {
	env := podtest.Ring(b, bits, 0)
	sw := newSweeper(env.Model(), 0.99)
	vector := make([]float64, bits)
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
	reportSweeps(b, len(sw.frontier)*blockLines, sw.Model.Actions, operations, bytes)
}

// benchmarkPurposes sweeps for the purposes of a first walk, of 12 bits with 0 and 3 hidden, and counts the lines.
func benchmarkPurposes(b *testing.B, best rates) {
	type purpose struct {
		sw *sweeper
		w  []float64
	}
	var purposes []purpose
	lines := 0
	for _, hide := range []int{0, 3} {
		env := podtest.Ring(b, 12, hide)
		sw := newSweeper(env.Model(), 0.99)
		for _, p := range purposesOfWalk(b, env, 0, schema.RightSingular) {
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
	reportSweeps(b, lines, 2, best.operations, best.cache)
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
