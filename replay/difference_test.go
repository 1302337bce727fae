package replay

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

func encoded(t testing.TB, v interface{ Encode() ([]byte, error) }) []byte {
	t.Helper()
	data, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// sampleWalk and the others are small records of each kind.
func sampleWalk() schema.Transitions {
	return schema.Transitions{
		Start: 5, Arity: 3, Actions: []uint8{0, 1, 2, 1},
		Spans:    []schema.Span{{Steps: 1, Option: -1}, {Steps: 3, Option: 2}},
		Episodes: []schema.Episode{{Step: 2, State: 7}},
	}
}

func sampleFactors() schema.Factors {
	return schema.Factors{
		Dims: 2, Total: 5, Rows: schema.NewSparseRows(2, []float64{-1, 0, 0, 1}), Counts: []int64{2, 3},
		Sigma: []float64{2, 1},
		V:     []float64{0, 1, 1, 0},
	}
}

func sampleOption() schema.Option {
	reach := 1.5
	return schema.Option{
		Purpose: schema.Purpose{J: 2, Sign: -1, Sigma: 3, Vector: []float64{0.5, -0.5}}, Arity: 2,
		Policy: []int8{1, schema.Terminate, 0},
		Certificate: schema.Certificate{
			Termination: schema.Proved, Acyclic: true, Longest: 2, Reach: &reach, Initiation: 2, Tolerance: 1e-9,
		},
	}
}

func sampleMeasures() schema.Measures {
	length, distance := 12.5, int64(40)
	return schema.Measures{Purposes: 3, Options: 6, Calls: 2, OptionLength: &length, Distance: &distance}
}

// altered is two records of a kind, and the place of their first difference.
type altered struct {
	name     string
	kind     schema.Kind
	a, b     interface{ Encode() ([]byte, error) }
	field    string
	index    int
	recorded any
	computed any
	ulps     *uint64
}

func with[T any](v T, change func(*T)) T {
	change(&v)
	return v
}

func n(x uint64) *uint64 { return &x }

func alteredRecords() []altered {
	walk := func(f func(*schema.Transitions)) schema.Transitions { return with(sampleWalk(), f) }
	factors := func(f func(*schema.Factors)) schema.Factors { return with(sampleFactors(), f) }
	option := func(f func(*schema.Option)) schema.Option { return with(sampleOption(), f) }
	measures := func(f func(*schema.Measures)) schema.Measures { return with(sampleMeasures(), f) }
	next := math.Nextafter(1, 2)
	one, after := 1.0, next
	return []altered{
		{
			"start", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) { x.Start = 6 }), "start",
			0, uint64(5), uint64(6), nil,
		},
		{
			"arity", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) { x.Arity = 4 }), "arity",
			0, 3, 4, nil,
		},
		{
			"an action, and later ones", schema.KindTransitions, sampleWalk(),
			walk(func(x *schema.Transitions) { x.Actions = []uint8{0, 1, 0, 0} }), "actions", 2, uint8(2), uint8(0),
			nil,
		},
		{"fewer steps", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) {
			x.Actions, x.Spans = x.Actions[:2], []schema.Span{{Steps: 1, Option: -1}, {Steps: 1, Option: 2}}
		}), "actions.length", 0, 4, 2, nil},
		{"a span's steps", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) {
			x.Spans = []schema.Span{{Steps: 2, Option: -1}, {Steps: 2, Option: 2}}
		}), "spans.steps", 0, uint32(1), uint32(2), nil},
		{"a span's option", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) {
			x.Spans = []schema.Span{{Steps: 1, Option: -1}, {Steps: 3, Option: 1}}
		}), "spans.option", 1, int32(2), int32(1), nil},
		{"a span more", schema.KindTransitions, sampleWalk(), walk(func(x *schema.Transitions) {
			x.Spans = []schema.Span{{Steps: 1, Option: -1}, {Steps: 3, Option: 2}, {Steps: 1, Option: 2}}
			x.Actions = append(x.Actions, 0)
		}), "actions.length", 0, 4, 5, nil},
		{"an episode's state", schema.KindTransitions, sampleWalk(),
			walk(func(x *schema.Transitions) { x.Episodes = []schema.Episode{{Step: 2, State: 8}} }),
			"episodes.state", 0, uint64(7), uint64(8), nil},
		{
			"no episode", schema.KindTransitions, sampleWalk(),
			walk(func(x *schema.Transitions) { x.Episodes = nil }), "episodes.length", 0, 1, 0, nil,
		},

		{
			"a state", schema.KindTransitions, worldWalk(1, false), worldWalk(4, false), "next", 1, uint32(1),
			uint32(4), nil,
		},
		{
			"how an episode ended", schema.KindTransitions, worldWalk(1, false), worldWalk(1, true),
			"episodes.terminated", 0, false, true, nil,
		},

		{"a number of an observation", schema.KindObservations, schema.Observations{
			Kind: schema.Discrete, Dims: 4, Numbers: []uint32{3, 1},
		},
			schema.Observations{Kind: schema.Discrete, Dims: 4, Numbers: []uint32{3, 2}}, "numbers", 1, uint32(1),
			uint32(2), nil},
		{"a bit of an observation", schema.KindObservations, schema.Observations{
			Kind: schema.Binary, Dims: 2, Bits: []uint8{1, 0, 0, 1},
		},
			schema.Observations{Kind: schema.Binary, Dims: 2, Bits: []uint8{1, 0, 1, 1}}, "bits", 2, uint8(0), uint8(1),
			nil},
		{"a feature of an observation", schema.KindObservations, schema.Observations{
			Kind: schema.Real, Dims: 2, Values: []float64{0, 1},
		},
			schema.Observations{Kind: schema.Real, Dims: 2, Values: []float64{0, next}}, "values", 1, 1.0, next, n(1)},

		{"a number", schema.KindRows, schema.Rows{Dims: 1, Total: 3, Rows: []float64{0, 1}, Counts: []int64{1, 2}},
			schema.Rows{Dims: 1, Total: 3, Rows: []float64{0, next}, Counts: []int64{1, 2}}, "rows", 1, 1.0, next,
			n(1)},
		{
			"total", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.Total, f.Counts = 6, []int64{2, 4} }), "total", 0, int64(5), int64(6),
			nil,
		},
		{
			"a row", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.Rows = schema.NewSparseRows(2, []float64{-1, 0, 0, next}) }), "rows", 3, 1.0,
			next, n(1),
		},
		{
			"counts", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.Counts = []int64{1, 4} }), "counts", 0, int64(2), int64(1), nil,
		},
		{
			"σ", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.Sigma = []float64{2, next} }), "sigma", 1, 1.0, next, n(1),
		},
		{
			"V", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.V = []float64{0, 1, next, 0} }), "v", 2, 1.0, next, n(1),
		},
		{
			"another sign", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.V = []float64{0, -1, 1, 0} }), "v", 1, 1.0, -1.0,
			n(2 * math.Float64bits(1)),
		},
		{"zero's sign", schema.KindFactors, sampleFactors(),
			factors(func(f *schema.Factors) { f.V = []float64{math.Copysign(0, -1), 1, 1, 0} }),
			"v", 0, 0.0, math.Copysign(0, -1), n(0)},
		{"other features", schema.KindFactors, sampleFactors(), schema.Factors{
			Dims: 1, Total: 5, Rows: schema.NewSparseRows(1, []float64{1}), Counts: []int64{5}, Sigma: []float64{1},
			V: []float64{1},
		},
			"dims", 0, 2, 1, nil},

		{"an entry", schema.KindValue, schema.Value{0, 1, 2}, schema.Value{0, next, 3}, "value", 1, 1.0, next, n(1)},
		{"fewer states", schema.KindValue, schema.Value{0, 1, 2}, schema.Value{0, 1}, "value.length", 0, 3, 2, nil},

		{
			"a reason", schema.KindSelection, judged(schema.Kept), judged(schema.Known), "directions.reason", 0,
			schema.Kept, schema.Known, nil,
		},
		{"a weight", schema.KindTheta, schema.Theta{Actions: 2, Width: 2, Weights: []float64{0, 1, 1, 2}},
			schema.Theta{Actions: 2, Width: 2, Weights: []float64{0, 1, next, 3}},
			"theta", 2, 1.0, next, n(1)},
		{
			"fewer actions", schema.KindTheta, schema.Theta{Actions: 2, Width: 1, Weights: []float64{0, 1}},
			schema.Theta{Actions: 1, Width: 1, Weights: []float64{0}}, "actions", 0, 2, 1, nil,
		},

		{
			"j", schema.KindOption, sampleOption(), option(func(o *schema.Option) { o.Purpose.J = 3 }), "purpose.j",
			0, 2, 3, nil,
		},
		{
			"sign", schema.KindOption, sampleOption(), option(func(o *schema.Option) { o.Purpose.Sign = 1 }),
			"purpose.sign", 0, -1, 1, nil,
		},
		{
			"its σ", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Purpose.Sigma = math.Nextafter(3, 2) }), "purpose.sigma", 0, 3.0,
			math.Nextafter(3, 2), n(1),
		},
		{"vector", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Purpose.Vector = []float64{0.5, 0.5} }),
			"purpose.vector", 1, -0.5, 0.5, n(2 * math.Float64bits(0.5))},
		{
			"policy", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Policy = []int8{1, 0, 0} }), "policy", 1, int8(schema.Terminate),
			int8(0), nil,
		},
		{
			"longest", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Certificate.Longest = 9 }), "certificate.longest", 0, schema.PathLength(2),
			schema.PathLength(9), nil,
		},
		{
			"acyclic", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Certificate.Acyclic = false }), "certificate.acyclic", 0, true, false,
			nil,
		},
		{"termination", schema.KindOption, sampleOption(), option(func(o *schema.Option) {
			o.Certificate.Termination = schema.Unknown
		}),
			"certificate.termination", 0, schema.Proved, schema.Unknown, nil},
		{"reach", schema.KindOption, sampleOption(), option(func(o *schema.Option) {
			x := math.Nextafter(1.5,
				1)
			o.Certificate.Reach = &x
		}),
			"certificate.reach", 0, 1.5, math.Nextafter(1.5, 1), n(1)},
		{
			"no reach", schema.KindOption, sampleOption(),
			option(func(o *schema.Option) { o.Certificate.Reach = nil }), "certificate.reach", 0, 1.5, nil, nil,
		},

		{
			"a reward", schema.KindRewards, schema.Rewards{0, 1}, schema.Rewards{0, next}, "rewards", 1, 1.0, next, n(1),
		},
		{
			"a count", schema.KindMeasures, sampleMeasures(), measures(func(m *schema.Measures) { m.Calls = 3 }),
			"calls", 0, int64(2), int64(3), nil,
		},
		{
			"a distance", schema.KindMeasures, sampleMeasures(),
			measures(func(m *schema.Measures) { x := int64(41); m.Distance = &x }), "distance", 0, int64(40),
			int64(41), nil,
		},
		{
			"an external measure", schema.KindExternalMeasures, schema.ExternalMeasures{"loss": nil, "score": &one},
			schema.ExternalMeasures{"loss": nil, "score": &after}, "score", 0, 1.0, next, n(1),
		},
		{
			"an undefined external measure", schema.KindExternalMeasures, schema.ExternalMeasures{"loss": nil},
			schema.ExternalMeasures{"loss": &one}, "loss", 0, nil, 1.0, nil,
		},
		{
			"a name", schema.KindExternalMeasures, schema.ExternalMeasures{"a": nil, "loss": nil},
			schema.ExternalMeasures{"a": nil}, "loss", 0, true, false, nil,
		},
		{
			"a distance more", schema.KindMeasures, sampleMeasures(),
			measures(func(m *schema.Measures) { x := int64(4); m.Final = &x }), "final", 0, nil, int64(4), nil,
		},
	}
}

// TestCompareRecords finds the first difference, from either side.
func TestCompareRecords(t *testing.T) {
	seen := map[schema.Kind]bool{}
	for _, c := range alteredRecords() {
		seen[c.kind] = true
		t.Run(string(c.kind)+", "+c.name, func(t *testing.T) {
			a, b := encoded(t, c.a), encoded(t, c.b)
			want := Difference{
				Record: c.kind, Field: c.field, Index: c.index, Recorded: c.recorded, Recomputed: c.computed,
				Ulps: c.ulps,
			}
			bits := cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
			for range 2 {
				got, err := compareRecords(c.kind, a, b)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, bits); diff != "" {
					t.Error(diff)
				}
				a, b = b, a
				want.Recorded, want.Recomputed = want.Recomputed, want.Recorded
			}
		})
	}
	for _, kind := range schema.Kinds {
		if !seen[kind] {
			t.Errorf("no %s records were compared", kind)
		}
	}
}

// TestCompareRefuses: bytes that are no record of the kind are refused, and so are two equal records.
func TestCompareRefuses(t *testing.T) {
	value, walk := encoded(t, schema.Value{1, 2}), encoded(t, sampleWalk())
	for name, c := range map[string]struct {
		kind schema.Kind
		a, b []byte
		want error
	}{
		"equal":           {schema.KindValue, value, value, wire.ErrMalformed},
		"recorded kind":   {schema.KindValue, walk, value, wire.ErrMalformed},
		"recomputed kind": {schema.KindValue, value, walk, wire.ErrMalformed},
		"cut off":         {schema.KindValue, value[:len(value)-1], value, wire.ErrTruncated},
		"no such kind":    {"secret", value, value, wire.ErrVersion},
	} {
		if _, err := compareRecords(c.kind, c.a, c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestUlps knows some distances.
func TestUlps(t *testing.T) {
	tiny, zero := math.SmallestNonzeroFloat64, 0.0
	for _, c := range []struct {
		x, y float64
		want uint64
	}{
		{1, 1, 0},
		{1, 1 + 0x1p-52, 1},
		{1, 1 - 0x1p-53, 1},
		{1, 2, 1 << 52}, // every float of one binade
		{zero, math.Copysign(0, -1), 0},
		{zero, tiny, 1},
		{math.Copysign(0, -1), tiny, 1},
		{-tiny, tiny, 2},
		{-1, 1, 2 * 1023 << 52},
		{-math.MaxFloat64, math.MaxFloat64, 2 * (2047<<52 - 1)},
	} {
		if got := distance(c.x, c.y); got != c.want {
			t.Errorf("%v and %v are %d apart, want %d", c.x, c.y, got, c.want)
		}
	}
}

func distance(x, y float64) uint64 { return ulpDistance(math.Float64bits(x), math.Float64bits(y)) }

// finite draws floats of all magnitudes and of the neighbourhood of 0.
func finite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
		rapid.Custom(func(t *rapid.T) float64 {
			x := math.Float64frombits(rapid.Uint64Max(40).Draw(t, "bits"))
			return math.Copysign(x, float64(rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign")))
		}))
}

// TestUlpsProperties: the distance counts the steps from neighbour to neighbour; it is symmetric, adds up along the
// line, and is 0 only for equal numbers.
func TestUlpsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := finite().Draw(t, "x"), finite().Draw(t, "y"), finite().Draw(t, "z")
		steps := rapid.IntRange(0, 60).Draw(t, "steps")
		up, down := x, x
		for range steps {
			up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, math.Inf(-1))
		}
		if !math.IsInf(up, 0) && distance(x, up) != uint64(steps) {
			t.Fatalf("%v is %d below %v, not %d", x, distance(x, up), up, steps)
		}
		if !math.IsInf(up, 0) && !math.IsInf(down, 0) && distance(down, up) != 2*uint64(steps) {
			t.Fatalf("%v and %v are %d apart, not %d", down, up, distance(down, up), 2*steps)
		}
		if distance(x, y) != distance(y, x) {
			t.Fatalf("%v and %v are %d or %d apart", x, y, distance(x, y), distance(y, x))
		}
		if (distance(x, y) == 0) != (x == y) {
			t.Fatalf("%v and %v are %d apart", x, y, distance(x, y))
		}
		if distance(-x, -y) != distance(x, y) {
			t.Fatalf("%v and %v are %d apart, mirrored %d", x, y, distance(x, y), distance(-x, -y))
		}
		line := []float64{x, y, z}
		slices.Sort(line)
		if distance(line[0], line[1])+distance(line[1], line[2]) != distance(line[0], line[2]) {
			t.Fatalf("%v: the parts do not add up", line)
		}
	})
}

// worldWalk returns two steps with their states, the second of which ends an episode.
func worldWalk(state uint32, terminated bool) schema.Transitions {
	return schema.Transitions{
		Arity: 2, Actions: []uint8{0, 1}, Spans: []schema.Span{{Steps: 2, Option: schema.Primitive}},
		Next:     []uint32{3, state},
		Episodes: []schema.Episode{{Step: 2, State: 7, Terminated: terminated}},
	}
}

// judged returns a selection of one direction.
func judged(reason schema.Reason) schema.Selection {
	return schema.Selection{Directions: []schema.Direction{{Sigma: 2, Reason: reason, Number: 0.5, Nearest: 3}}}
}
