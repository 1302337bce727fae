package diff

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// plain returns the metric in which all features count alike.
func plain(t rapid.TB, dims int) *metric {
	f := linalg.Dataset{Dims: dims, Rows: make([]schema.SparseRow, dims), Counts: make([]int64, dims)}
	for i := range dims {
		f.Rows[i], f.Counts[i] = schema.SparseRow{{Feature: int32(i), Value: 1}}, 1
	}
	return pooledOf(t, dims, f)
}

// levelOf returns the chance level of sets of two sizes.
func levelOf(t *testing.T, m *metric, a, b int) ChanceLevel {
	t.Helper()
	c, err := m.chance(t.Context(), a, b)
	ok(t, err)
	return c
}

// randomSetOf returns the images of random vectors.
func randomSetOf(t testing.TB, m *metric, random *rand.Rand, n int) [][]float64 {
	t.Helper()
	set, err := m.randomVectors(t.Context(), random, n)
	ok(t, err)
	return m.images(set)
}

// TestChanceOnRing has the levels that an independent numpy program found for
// cos_M on the paper's ring, whose low bits change most: far above the plain ones.
func TestChanceOnRing(t *testing.T) {
	const tolerance = 0.02
	for _, c := range []struct {
		size      int
		hide      int64
		mean, p95 float64
	}{{1, 0, 0.43, 0.85}, {6, 0, 0.70, 0.933}, {4, 3, 0.64, 0.912}, {7, 3, 0.73, 0.941}} {
		env, err := envs.NewEnv(schema.Env{
			Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "hide": c.hide},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := levelOf(t, modelMetric(t, env.(envs.SimulatedEnv)), c.size, c.size)
		if math.Abs(got.Mean-c.mean) > tolerance || math.Abs(got.P95-c.p95) > tolerance {
			t.Errorf("%d with %d bits hidden: %+v, want %v and %v", c.size, c.hide, got, c.mean, c.p95)
		}
		if Threshold <= got.P95 {
			t.Errorf("the threshold is within chance, %v", got)
		}
	}
}

// TestChance has the levels of facts.md, which an independent program found:
// matched |cosine| of random purpose sets, its mean and its 95 % point.
func TestChance(t *testing.T) {
	const tolerance = 0.02
	for _, c := range []struct {
		size, dims int
		mean, p95  float64
	}{{6, 12, 0.46, 0.70}, {7, 9, 0.56, 0.79}} {
		got := levelOf(t, plain(t, c.dims), c.size, c.size)
		if math.Abs(got.Mean-c.mean) > tolerance || math.Abs(got.P95-c.p95) > tolerance {
			t.Errorf("%d of %d dimensions: %+v, want %v and %v", c.size, c.dims, got, c.mean, c.p95)
		}
	}
}

// TestChanceOfTwo has what two random directions of a plane and of space make:
// |cos| of an even angle has the mean 2/π, in space it is even itself.
func TestChanceOfTwo(t *testing.T) {
	const tolerance = 0.04 // four standard errors of 1000 draws
	plane, space := levelOf(t, plain(t, 2), 1, 1), levelOf(t, plain(t, 3), 1, 1)
	if math.Abs(plane.Mean-2/math.Pi) > tolerance || math.Abs(space.Mean-0.5) > tolerance ||
		math.Abs(space.P95-0.95) > tolerance {
		t.Errorf("in a plane %+v, in space %+v", plane, space)
	}
	if line := levelOf(t, plain(t, 1), 1, 1); line.Mean != 1 || line.P95 != 1 {
		t.Errorf("on a line %+v", line)
	}
}

// TestChanceProperties: a level is the same whichever set comes first and however
// often it is asked for, and lies between 0 and 1.
// Sets may be larger than the number of dimensions.
func TestChanceProperties(t *testing.T) {
	for dims := range 6 {
		for a := range 8 {
			for b := range a + 1 {
				c := levelOf(t, plain(t, dims), a, b)
				if c != levelOf(t, plain(t, dims), b, a) {
					t.Fatalf("%d and %d of %d: %+v, exchanged %+v", a, b, dims, c, levelOf(t, plain(t, dims), b, a))
				}
				if b == 0 || dims == 0 {
					if c != (ChanceLevel{}) {
						t.Errorf("an empty set: %+v", c)
					}
					continue
				}
				if again, err := plain(t, dims).drawChance(t.Context(), b, a); dims == 3 && (err != nil || c != again) {
					t.Errorf("%d and %d of %d: drawn again it is another", a, b, dims)
				}
				if !(c.Mean > 0 && c.Mean <= c.P95 && c.P95 <= 1) || c.Draws < minDraws {
					t.Errorf("%d and %d of %d: %+v", a, b, dims, c)
				}
			}
		}
	}
}

// TestChanceOfLargeSets: of large sets there are few draws, with many pairs each.
func TestChanceOfLargeSets(t *testing.T) {
	if c := levelOf(t, plain(t, 150), 120, 130); c.Draws != minDraws || !(c.Mean > 0 && c.P95 < 0.9) {
		t.Errorf("%+v", c)
	}
}

func TestLimits(t *testing.T) {
	want := Limits{Cosine: 0.3, Agreement: Threshold, Gap: 0.01}
	if got := (Limits{Cosine: 0.3}).WithDefaults(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.Cosine = Threshold
	if got := (Limits{}).WithDefaults(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestChanceInOneOrder: the level is that of sets drawn and compared one after the other, to the last bit.
func TestChanceInOneOrder(t *testing.T) {
	m := plain(t, 7)
	for _, size := range [][2]int{{1, 1}, {3, 5}, {6, 7}, {7, 9}} {
		got := levelOf(t, m, size[0], size[1])
		random := rand.New(rand.NewPCG(chanceSeed, uint64(size[0])<<40|uint64(size[1])<<20|7))
		var matched []float64
		for range got.Draws {
			matched = append(matched, matchedCosines(randomSetOf(t, m, random, size[0]),
				randomSetOf(t, m, random, size[1]))...)
		}
		slices.Sort(matched)
		if mean := stat.Mean(matched, nil); got.Mean != mean {
			t.Errorf("%v: %v, want %v", size, got.Mean, mean)
		}
	}
}

// TestDrawsOf: 30 pairs of sets are drawn, more of small ones, fewer of those with many vectors, and none of sets that
// take too long.
func TestDrawsOf(t *testing.T) {
	for _, c := range []struct {
		small int
		work  int64
		want  int
	}{
		{1, 1, maxDraws},
		{10, chanceWork / 100, 100},
		{237, chanceWork, minDraws},
		{1000, chanceWork, 9},
		{2000, mostWork / 4, 4},
		{2000, mostWork, 1},
		{3000, mostWork + 1, 0},
	} {
		if got := drawsOf(c.small, c.work); got != c.want {
			t.Errorf("%d draws of sets of %d that take %d, want %d", got, c.small, c.work, c.want)
		}
	}
}

// TestUnknownTooLong: sets are not compared with random ones that take too long.
func TestUnknownTooLong(t *testing.T) {
	p := &pool{kind: Purposes}
	p.addReference = func(context.Context, int, int) ([]int, error) { return nil, nil }
	p.referenceWork = func(size int) int64 { return int64(size) << 26 }
	for _, c := range []struct {
		runs, largest int
		want          string
	}{{2, 102, ""}, {2, 103, unknownTooLong}, {1, 103, unknownFew}} {
		if got := p.unknownChance(c.runs, c.largest); got != c.want {
			t.Errorf("%d runs with sets of up to %d: %q, want %q", c.runs, c.largest, got, c.want)
		}
	}
	p.referenceWork = func(int) int64 { return 1 }
	if at, beyond := p.unknownChance(2, 4096), p.unknownChance(2, 4097); at != "" || beyond != unknownTooLong {
		t.Errorf("%q with sets of 4096, %q with larger ones", at, beyond)
	}
	list, err := (&agreementTable{pool: p}).agreements(t.Context(), nil)
	if err != nil || len(list) != 0 {
		t.Errorf("%v, %v of no sets", list, err)
	}
}

// TestNoLevel: a level that was not computed has no numbers in JSON.
func TestNoLevel(t *testing.T) {
	for want, level := range map[string]ChanceLevel{
		`{"mean":null,"p95":null,"draws":0}`: {},
		`{"mean":0,"p95":0.5,"draws":30}`:    {P95: 0.5, Draws: 30},
	} {
		if got, err := json.Marshal(level); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
