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
	methods  []method
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

// method makes an interval; used are those that the package has, the others were rejected.
type method struct {
	name string
	used bool
	make func(r *rand.Rand, a, b []float64) (low, high float64)
}

func ends(e *stats.Estimate) (low, high float64) { return *e.Low, *e.High }

var (
	meanMethods = []method{
		{"percentile bootstrap", false, percentileMean},
		{"bootstrap-t", false, bootstrapT},
		{stats.StudentT, true, func(_ *rand.Rand, _, b []float64) (float64, float64) { return ends(stats.Mean(b)) }},
	}
	differenceMethods = []method{
		{"percentile bootstrap", false, percentileDifference},
		{stats.WelchT, true, func(_ *rand.Rand, a, b []float64) (float64, float64) {
			return ends(stats.Compare(a, b, stats.Level).Difference)
		}},
	}
	improvementMethods = []method{
		{"percentile bootstrap", false, percentileImprovement},
		{"logit of DeLong", false, logitImprovement},
		{stats.Newcombe, true, func(_ *rand.Rand, a, b []float64) (float64, float64) {
			return ends(stats.Compare(a, b, stats.Level).Improvement)
		}},
	}
	pairMethods = []method{
		{stats.Newcombe, true, func(_ *rand.Rand, a, b []float64) (float64, float64) {
			pairs := make([]stats.Pair, len(a))
			for i := range a {
				pairs[i] = stats.Pair{A: a[i], B: b[i]}
			}
			return ends(stats.ComparePairs(pairs, stats.Level).Improvement)
		}},
	}
	shareMethods = []method{
		{"Wilson's score method", true, func(_ *rand.Rand, _, b []float64) (float64, float64) {
			successes := 0.0
			for _, v := range b {
				successes += v
			}
			return stats.Wilson(int(successes), len(b))
		}},
	}
)

// scenes returns all that is measured.
func scenes() (all []scene) {
	for _, s := range sources {
		all = append(all, scene{"mean", s.name, s.mean, s, s, meanMethods, 0})
	}
	for _, s := range sources[:4] { // b has another mean and three times the spread
		b := s.shifted(1, 3)
		all = append(all, scene{"b − a", s.name + ", b three times as wide", b.mean - s.mean, s, b, differenceMethods, 0})
	}
	normal := sources[0]
	for _, p := range []float64{0.5, 0.8, 0.95} {
		b := normal.shifted(math.Sqrt2*distuv.UnitNormal.Quantile(p), 1)
		all = append(all, scene{"P(b > a)", fmt.Sprintf("normal, P = %v", p), p, normal, b, improvementMethods, 0})
	}
	wide := normal.shifted(math.Sqrt(10)*distuv.UnitNormal.Quantile(0.8), 3)
	count := source{"", 4, poisson(4)}
	even := normal.shifted(math.Sqrt2*distuv.UnitNormal.Quantile(0.8), 1)
	all = append(all,
		scene{"P(b > a)", "normal, P = 0.8, b three times as wide", 0.8, normal, wide, improvementMethods, 0},
		scene{"P(b > a)", "exponential, P = 0.8", 0.8, sources[1], sources[1].shifted(0, 4), improvementMethods, 0},
		scene{"P(b > a)", "Poisson, means 2 and 4", poissonImprovement(2, 4), sources[3], count, improvementMethods, 0},
		scene{"P(b > a)", "normal, P = 0.8, pairs of correlation 0.6", 0.8, normal, even, pairMethods, 0.6},
		scene{"P(b > a)", "normal, P = 0.8, pairs of correlation −0.6", 0.8, normal, even, pairMethods, -0.6},
		scene{"share", "0 or 1, mean 0.9", 0.9, sources[4], sources[4], shareMethods, 0},
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

// coverage returns how many of the samples' intervals contain the truth, and how many have no end.
// The i-th sample is the same however many there are, and whatever the method.
func (s scene) coverage(n, samples int, m method) (covered, endless int) {
	for i := range samples {
		seed := uint64(i)<<8 | uint64(n)
		r := rand.New(rand.NewPCG(seed, 17))
		a, b := s.samples(r, n)
		low, high := m.make(rand.New(rand.NewPCG(seed, 18)), a, b)
		const rounding = 1e-9
		if low-rounding <= s.truth && s.truth <= high+rounding {
			covered++
		}
		if math.IsInf(high-low, 0) {
			endless++
		}
	}
	return covered, endless
}

// measureCoverage returns the table of the help topic.
func measureCoverage(samples, ofRejected int) string {
	var out strings.Builder
	out.WriteString("| interval of | data | method | n = 3 | 5 | 10 | 30 |\n|---|---|---|---|---|---|---|\n")
	for _, s := range scenes() {
		cells := make([][]string, len(s.methods))
		for j, m := range s.methods {
			samples := samples
			if !m.used {
				samples = ofRejected
			}
			for _, n := range sizes {
				covered, endless := s.coverage(n, samples, m)
				cell := fmt.Sprintf("%.1f", 100*float64(covered)/float64(samples))
				if 2*endless > samples {
					cell += " ∞"
				}
				cells[j] = append(cells[j], cell)
			}
		}
		for j, m := range s.methods {
			name := m.name
			if m.used {
				name = "**" + name + "**"
			}
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", s.of, s.data, name, strings.Join(cells[j], " | "))
		}
	}
	return out.String()
}

const (
	usedSamples     = 10000
	rejectedSamples = 500 // resampling takes long
	begins          = "| interval of |"
)

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
		if err := os.WriteFile(topic, []byte(before+measureCoverage(usedSamples, rejectedSamples)+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")[2:]
	for _, s := range scenes() {
		for _, m := range s.methods {
			cells := strings.Split(rows[0], " | ")
			rows = rows[1:]
			if strings.Trim(cells[2], "*") != m.name || cells[1] != s.data {
				t.Fatalf("the topic has the row %q, not that of %s, %s", cells, s.data, m.name)
			}
			for i, n := range sizes {
				s.checkCoverage(t, m, n, strings.TrimSuffix(cells[3+i], " |"))
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("the topic has rows that are not measured: %q", rows)
	}
}

// checkCoverage compares a few samples with a cell of the table.
func (s scene) checkCoverage(t *testing.T, m method, n int, cell string) {
	t.Helper()
	samples := 400
	if !m.used {
		samples = 20
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(cell, " ∞"), 64)
	if err != nil {
		t.Fatal(err)
	}
	covered, _ := s.coverage(n, samples, m)
	share, p := float64(covered)/float64(samples), percent/100
	if off := math.Abs(share - p); off > 4.5*math.Sqrt(p*(1-p)/float64(samples))+1/float64(samples) {
		t.Errorf("%s of %s, n = %d, %s: %.3f contain the truth, the topic says %.3f", s.of, s.data, n, m.name, share, p)
	}
}

// TestRowsAreNamed: the table marks exactly those methods that the program uses.
func TestRowsAreNamed(t *testing.T) {
	_, table, _ := documented(t)
	for _, name := range []string{stats.StudentT, stats.WelchT, stats.Newcombe} {
		if !strings.Contains(table, "| **"+name+"** |") {
			t.Errorf("the topic's table does not have %s", name)
		}
	}
}
