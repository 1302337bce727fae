package explore

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// TestDiversityKnown counts by hand: I of {0, 1}, {1, 2} and {0, 1} again in five states.
func TestDiversityKnown(t *testing.T) {
	d := newDiversity([][]uint64{{0b011}, {0b110}, {0b011}}, 5)
	// Pairs of I: 1/3, 1, 1/3. T is {2, 3, 4}, {0, 3, 4}, {2, 3, 4}: 2/4, 1, 2/4.
	if d.EndSets != 2 || d.StartShare != 3.0/5 || math.Abs(*d.InitiationOverlap-5.0/9) > 1e-15 ||
		math.Abs(*d.TerminationOverlap-2.0/3) > 1e-15 {
		t.Errorf("%d end sets, overlaps %v and %v, start share %v", d.EndSets, *d.InitiationOverlap,
			*d.TerminationOverlap, d.StartShare)
	}
	one := newDiversity([][]uint64{{0b1}}, 4)
	if one.EndSets != 1 || one.InitiationOverlap != nil || one.TerminationOverlap != nil || one.StartShare != 0.25 {
		t.Errorf("one option: %+v", one)
	}
}

// TestDiversityNaive compares with sets of states as maps.
func TestDiversityNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.IntRange(1, 150).Draw(t, "states")
		options := rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), states, states), 2, 6).Draw(t, "options")
		var sets [][]uint64
		distinct, starts := map[string]bool{}, map[int]bool{}
		for _, o := range options {
			set, key := make([]uint64, (states+63)/64), ""
			for s, in := range o {
				key += map[bool]string{true: "1", false: "0"}[in]
				if in {
					set[s/64] |= 1 << (s % 64)
					starts[s] = true
				}
			}
			sets, distinct[key] = append(sets, set), true
		}
		d := newDiversity(sets, states)
		if d.EndSets != int64(len(distinct)) || d.StartShare != float64(len(starts))/float64(states) {
			t.Fatalf("%d end sets, want %d; start share %v", d.EndSets, len(distinct), d.StartShare)
		}
		for want, got := range map[bool]float64{true: *d.InitiationOverlap, false: *d.TerminationOverlap} {
			if mean := naiveOverlap(options, want); math.Abs(got-mean) > 1e-12 {
				t.Fatalf("overlap (of I: %v) %v, want %v", want, got, mean)
			}
		}
	})
}

// naiveOverlap returns the mean Jaccard coefficient of the sets of states where options have the given value.
func naiveOverlap(options [][]bool, value bool) float64 {
	sum, pairs := 0.0, 0.0
	for i := range options {
		for j := range i {
			both, either := 0.0, 0.0
			for s := range options[i] {
				a, b := options[i][s] == value, options[j][s] == value
				if a && b {
					both++
				}
				if a || b {
					either++
				}
			}
			pairs++
			if either == 0 {
				sum++
			} else {
				sum += both / either
			}
		}
	}
	return sum / pairs
}

// TestOptionStatesLimit: options can have as many states as there are, and no more.
func TestOptionStatesLimit(t *testing.T) {
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	run, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 1}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Tracker().View(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(run.ID)
		if err != nil {
			return err
		}
		view := tx.View
		d, at := readDiversity(view, its[0], 64)
		if _, beyond := readDiversity(view, its[0], 63); d == nil || at != nil || !errors.Is(beyond, wire.ErrMalformed) {
			t.Errorf("options of 64 states: %v, %v; in 63 states: %v", d, at, beyond)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
