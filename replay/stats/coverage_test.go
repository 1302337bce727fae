package stats_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/podtrack/podtrack/replay/stats"
)

var update = flag.Bool("update", false, "write the coverage that is measured now into the help topic")

// topic is the document with the measured coverage.
const topic = "../../cmd/podtrack/internal/help/topics/diff.md"

// source is a distribution that samples are drawn from.
type source struct {
	name string
	mean float64
	draw func(*rand.Rand) float64
}

// sources are symmetric, skewed, heavily skewed and discrete data, and counts that nearly always
// are the same.
var sources = []source{
	{"normal", 0, (*rand.Rand).NormFloat64},
	{"exponential", 1, (*rand.Rand).ExpFloat64},
	{"lognormal", math.Sqrt(math.E), func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }},
	{"Poisson, mean 2", 2, poisson(2)},
	{"0 or 1, mean 0.9", 0.9, func(r *rand.Rand) float64 {
		if r.Float64() < 0.9 {
			return 1
		}
		return 0
	}},
}

// poisson draws by Knuth's method.
func poisson(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		n := -1.0
		for p := 1.0; p > math.Exp(-mean); n++ {
			p *= r.Float64()
		}
		return n
	}
}

func (s source) sample(r *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = s.draw(r)
	}
	return values
}

// shifted returns the source, moved and scaled.
func (s source) shifted(by, scale float64) source {
	return source{s.name, s.mean*scale + by, func(r *rand.Rand) float64 { return by + scale*s.draw(r) }}
}

// scene is data of which an interval should contain the truth.
type scene struct {
	of, data string
	truth    float64
	a, b     source // b alone for a mean
	method   method
	joint    float64 // correlation of the a and the b of a pair, both normal
}

// samples draws n values of each source.
func (s scene) samples(r *rand.Rand, n int) (a, b []float64) {
	a, b = s.a.sample(r, n), s.b.sample(r, n)
	if s.joint != 0 {
		for i := range b {
			b[i] = s.b.mean + s.joint*a[i] + math.Sqrt(1-s.joint*s.joint)*(b[i]-s.b.mean)
		}
	}
	return a, b
}

// method makes an interval.
type method struct {
	name string
	make func(a, b []float64) (low, high float64)
}

func ends(e *stats.Estimate) (low, high float64) { return *e.Low, *e.High }

var (
	ofMean = method{stats.StudentT, func(_, b []float64) (float64, float64) {
		return ends(stats.Mean(b))
	}}
	ofDifference = method{stats.WelchT, func(a, b []float64) (float64, float64) {
		return ends(stats.Compare(a, b, stats.Level).Difference)
	}}
	ofImprovement = method{stats.Newcombe, func(a, b []float64) (float64, float64) {
		return ends(stats.Compare(a, b, stats.Level).Improvement)
	}}
	ofPairs = method{stats.Newcombe, func(a, b []float64) (float64, float64) {
		pairs := make([]stats.Pair, len(a))
		for i := range a {
			pairs[i] = stats.Pair{A: a[i], B: b[i]}
		}
		return ends(stats.ComparePairs(pairs, stats.Level).Improvement)
	}}
	ofShare = method{"Wilson's score method", func(_, b []float64) (float64, float64) {
		successes := 0.0
		for _, v := range b {
			successes += v
		}
		return stats.Wilson(int(successes), len(b))
	}}
)

// scenes returns all that is measured.
func scenes() (all []scene) {
	for _, s := range sources {
		all = append(all, scene{"mean", s.name, s.mean, s, s, ofMean, 0})
	}
	for _, s := range sources[:4] { // b has another mean and three times the spread
		b := s.shifted(1, 3)
		all = append(all, scene{"b − a", s.name + ", b three times as wide", b.mean - s.mean, s, b, ofDifference, 0})
	}
	normal := sources[0]
	for _, p := range []float64{0.5, 0.8, 0.95} {
		b := normal.shifted(math.Sqrt2*distuv.UnitNormal.Quantile(p), 1)
		all = append(all, scene{"P(b > a)", fmt.Sprintf("normal, P = %v", p), p, normal, b, ofImprovement, 0})
	}
	wide := normal.shifted(math.Sqrt(10)*distuv.UnitNormal.Quantile(0.8), 3)
	count := source{"", 4, poisson(4)}
	even := normal.shifted(math.Sqrt2*distuv.UnitNormal.Quantile(0.8), 1)
	all = append(all,
		scene{"P(b > a)", "normal, P = 0.8, b three times as wide", 0.8, normal, wide, ofImprovement, 0},
		scene{"P(b > a)", "exponential, P = 0.8", 0.8, sources[1], sources[1].shifted(0, 4), ofImprovement, 0},
		scene{"P(b > a)", "Poisson, means 2 and 4", poissonImprovement(2, 4), sources[3], count, ofImprovement, 0},
		scene{"P(b > a)", "normal, P = 0.8, pairs of correlation 0.6", 0.8, normal, even, ofPairs, 0.6},
		scene{"P(b > a)", "normal, P = 0.8, pairs of correlation −0.6", 0.8, normal, even, ofPairs, -0.6},
		scene{"share", "0 or 1, mean 0.9", 0.9, sources[4], sources[4], ofShare, 0},
	)
	return all
}

// poissonImprovement sums up P(b > a) + ½P(b = a) of two Poisson distributions.
func poissonImprovement(meanA, meanB float64) float64 {
	a, b, sum := distuv.Poisson{Lambda: meanA}, distuv.Poisson{Lambda: meanB}, 0.0
	for k := range 80 {
		x := float64(k)
		below := 0.0
		for j := range k {
			below += a.Prob(float64(j))
		}
		sum += b.Prob(x) * (below + a.Prob(x)/2)
	}
	return sum
}

var sizes = []int{3, 5, 10, 30}

// coverage returns the share of the samples whose intervals contain the truth. The i-th sample is the same however many
// there are.
func (s scene) coverage(n, samples int) float64 {
	covered := 0
	for i := range samples {
		a, b := s.samples(rand.New(rand.NewPCG(uint64(i)<<8|uint64(n), 17)), n)
		low, high := s.method.make(a, b)
		const rounding = 1e-9
		if low-rounding <= s.truth && s.truth <= high+rounding {
			covered++
		}
	}
	return float64(covered) / float64(samples)
}

// measureCoverage returns the table of the help topic.
func measureCoverage() string {
	var out strings.Builder
	out.WriteString("| interval of | data | method | n = 3 | 5 | 10 | 30 |\n|---|---|---|---|---|---|---|\n")
	for _, s := range scenes() {
		fmt.Fprintf(&out, "| %s | %s | %s |", s.of, s.data, s.method.name)
		for _, n := range sizes {
			fmt.Fprintf(&out, " %.1f |", 100*s.coverage(n, 10000))
		}
		out.WriteString("\n")
	}
	return out.String()
}

const begins = "| interval of |"

// documented returns the table that the help topic has, and what is before and after it.
func documented(t *testing.T) (before, table, after string) {
	t.Helper()
	text, err := os.ReadFile(topic)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), begins)
	if at < 0 {
		t.Fatalf("%s has no table of coverage", topic)
	}
	before, table = string(text[:at]), ""
	for line := range strings.Lines(string(text[at:])) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		table += line
	}
	return before, table, string(text[at+len(table):])
}

// TestCoverage measures how often each interval contains the truth in some samples, and compares that with the
// table in the help topic, which is of many: chance may put them 4.5 standard errors apart.
func TestCoverage(t *testing.T) {
	t.Parallel()
	before, table, after := documented(t)
	if *update {
		if err := os.WriteFile(topic, []byte(before+measureCoverage()+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")[2:]
	if len(rows) != len(scenes()) {
		t.Fatalf("the topic has %d rows; %d are measured", len(rows), len(scenes()))
	}
	for i, s := range scenes() {
		cells := strings.Split(strings.Trim(rows[i], "| "), " | ")
		if cells[1] != s.data || cells[2] != s.method.name {
			t.Fatalf("the topic has the row %q, not that of %s, %s", cells, s.data, s.method.name)
		}
		for i, n := range sizes {
			s.checkCoverage(t, n, cells[3+i])
		}
	}
}

// checkCoverage compares a few samples with a cell of the table.
func (s scene) checkCoverage(t *testing.T, n int, cell string) {
	t.Helper()
	const samples = 400
	percent, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	share, p := s.coverage(n, samples), percent/100
	if off := math.Abs(share - p); off > 4.5*math.Sqrt(p*(1-p)/samples)+1.0/samples {
		t.Errorf("%s of %s, n = %d: %.3f contain the truth, the topic says %.3f", s.of, s.data, n, share, p)
	}
}
