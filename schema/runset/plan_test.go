package runset_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
)

func ringEnv() schema.Env {
	return schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 4}}
}

// planSpec returns one of a few specs, with seed 0.
func planSpec(kappa int) schema.Spec {
	return schema.Spec{Numerics: schema.NumericsVersion, Env: ringEnv(), Steps: 10, Kappa: float64(kappa)}
}

// drawPlan draws a plan of few specs and small seeds, as a study.
func drawPlan(t *rapid.T) *runset.Plan {
	p := &runset.Plan{Iterations: rapid.IntRange(1, 4).Draw(t, "iterations")}
	kappas := rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 1, 4, rapid.ID[int]).Draw(t, "kappas")
	for _, k := range kappas {
		p.Specs = append(p.Specs, planSpec(k))
	}
	p.Seeds = runset.SeedSet(rapid.SliceOfN(rapid.Uint64Range(0, 20), 1, 20).Draw(t, "seeds")...)
	p.Study = studyOf(len(p.Specs))
	return p
}

// studyOf returns a study of that many specs in one setting.
func studyOf(specs int) *runset.Study {
	s := &runset.Study{
		Name: "study", Title: "Which is better?", Baselines: []string{"variant 0"}, Correction: runset.Holm,
		Settings: []runset.Setting{{Name: "ring", Outcome: runset.Outcome{Measure: "distance", Over: runset.OverMean}}},
	}
	for i := range specs {
		s.Variants = append(s.Variants, runset.Variant{Name: fmt.Sprint("variant ", i)})
		s.Cells = append(s.Cells, runset.Cell{Variant: i})
	}
	return s
}

// TestPlanEncoding: a plan has one encoding, whatever the order of its specs, and decodes to the same plan.
// Changed bytes are refused, or decode to another plan with that encoding.
func TestPlanEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		other := shuffled(p, rapid.Permutation(p.Specs).Draw(t, "order"))
		if again, err := other.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("another encoding in another order, %v", err)
		}
		back, err := runset.DecodePlan(data)
		if err != nil {
			t.Fatal(err)
		}
		byKappa := func(a, b schema.Spec) int { return cmp.Compare(a.Kappa, b.Kappa) }
		if diff := gocmp.Diff(shuffled(p, slices.SortedFunc(slices.Values(p.Specs), byKappa)),
			shuffled(back, slices.SortedFunc(slices.Values(back.Specs), byKappa))); diff != "" {
			t.Fatal(diff)
		}
		other.Study = nil
		if _, err := other.Encode(); !errors.Is(err, runset.ErrPlan) {
			t.Fatalf("a plan that is no study was encoded: %v", err)
		}
		spoilt := slices.Clone(data)
		spoilt[rapid.IntRange(0, len(data)-1).Draw(t, "byte")] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
		if read, err := runset.DecodePlan(spoilt); err == nil {
			if again, err := read.Encode(); err != nil || !bytes.Equal(again, spoilt) {
				t.Fatalf("%x is read as a plan with another encoding, %v", spoilt, err)
			}
		}
	})
}

// shuffled returns a plan with its specs in that order, each in its cell.
func shuffled(p *runset.Plan, specs []schema.Spec) *runset.Plan {
	other := &runset.Plan{Specs: specs, Seeds: p.Seeds, Iterations: p.Iterations}
	study := *p.Study
	study.Cells = nil
	for _, spec := range specs {
		i := slices.IndexFunc(p.Specs, func(s schema.Spec) bool { return s.Kappa == spec.Kappa })
		study.Cells = append(study.Cells, p.Study.Cells[i])
	}
	other.Study = &study
	return other
}

// TestForgedPlans: well-formed CBOR that is no valid plan is refused.
func TestForgedPlans(t *testing.T) {
	t.Parallel()
	type ranges = [][2]uint64
	one := []schema.Spec{planSpec(0)}
	seeded := planSpec(0)
	seeded.Seed = 1
	for name, forged := range map[string]map[string]any{
		"no seeds":          {"iterations": 1, "seeds": ranges{}, "specs": one},
		"reversed":          {"iterations": 1, "seeds": ranges{{3, 1}}, "specs": one},
		"adjacent":          {"iterations": 1, "seeds": ranges{{1, 3}, {4, 5}}, "specs": one},
		"overlapping":       {"iterations": 1, "seeds": ranges{{1, 3}, {2, 5}}, "specs": one},
		"descending":        {"iterations": 1, "seeds": ranges{{7, 8}, {1, 2}}, "specs": one},
		"from 0 again":      {"iterations": 1, "seeds": ranges{{1<<64 - 1, 1<<64 - 1}, {0, 0}}, "specs": one},
		"all seeds":         {"iterations": 1, "seeds": ranges{{0, 1<<64 - 1}}, "specs": one},
		"too many seeds":    {"iterations": 1, "seeds": ranges{{0, 999_999}, {2e6, 2e6}}, "specs": one},
		"no specs":          {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": []schema.Spec{}},
		"a spec twice":      {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": append(one, one...)},
		"a spec with seed":  {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": []schema.Spec{seeded}},
		"no iterations":     {"iterations": 0, "seeds": ranges{{0, 1}}, "specs": one},
		"negative":          {"iterations": -1, "seeds": ranges{{0, 1}}, "specs": one},
		"another field":     {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": one, "name": "x"},
		"without a field":   {"seeds": ranges{{0, 1}}, "specs": one},
		"many iterations":   {"iterations": 1 << 31, "seeds": ranges{{0, 1}}, "specs": one},
		"a list for a spec": {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": []int{1}},
		"a study of two":    {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": one, "study": studyOf(2)},
		"no study":          {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": one},
		"an empty study":    {"iterations": 1, "seeds": ranges{{0, 1}}, "specs": one, "study": runset.Study{}},
	} {
		if forged["study"] == nil && name != "no study" {
			forged["study"] = studyOf(len(one))
		}
		data, err := wire.Marshal(forged)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := runset.DecodePlan(data); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestPlanLimits: a plan of the largest size is accepted, and one larger is refused.
func TestPlanLimits(t *testing.T) {
	planned := func(specs, seeds int) error {
		s, err := runset.ParseSeeds(fmt.Sprintf("0-%d", seeds-1))
		if err != nil {
			return err
		}
		return (&runset.Plan{Specs: make([]schema.Spec, specs), Seeds: s, Iterations: 1}).CheckSize()
	}
	iterated := func(n int) error {
		return (&runset.Plan{Specs: make([]schema.Spec, 1), Seeds: runset.SeedSet(0), Iterations: n}).CheckSize()
	}
	schematest.Limits{
		{"specs of a plan", "at most 100000 specs", planned(100_000, 1), planned(100_001, 1)},
		{"runs of a plan", "and 10000000 runs", planned(10, 1_000_000), planned(11, 909_091)}, // 10⁷ + 1
		{"iterations of a plan", "2147483648 iterations", iterated(math.MaxInt32), iterated(math.MaxInt32 + 1)},
	}.Check(t)
}

// TestPlanSizeLimit: bytes of the largest size are decoded, and refused as malformed; longer ones are not read.
func TestPlanSizeLimit(t *testing.T) {
	data := make([]byte, runset.MaxPlanBytes+1)
	_, at := runset.DecodePlan(data[:runset.MaxPlanBytes])
	_, beyond := runset.DecodePlan(data)
	if !strings.Contains(fmt.Sprint(at), "cannot unmarshal positive integer") ||
		!errors.Is(beyond, wire.ErrOversized) || !strings.Contains(beyond.Error(), "67108864") {
		t.Errorf("at the limit %v, one beyond %v", at, beyond)
	}
}
