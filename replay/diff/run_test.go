package diff

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// several returns runs of one environment that differ in one thing each.
func several(t *testing.T) []*Side {
	return perform(t, 3, tiny(0), tiny(1), with(t, tiny(0), "kappa", "5"), with(t, tiny(0), "gamma", "0.5"),
		with(t, tiny(0), "basis", "rows-of-v"), with(t, with(t, tiny(1), "basis", "rows-of-v"), "dataset",
			"cumulative"))
}

func runs(t *testing.T, a, b *Side, limits Limits) Report {
	t.Helper()
	r, err := CompareRuns(t.Context(), a, b, limits)
	ok(t, err)
	return r
}

// TestRunWithItself is identical, and equivalent at the strictest limits.
func TestRunWithItself(t *testing.T) {
	for _, r := range several(t) {
		got := runs(t, r, reopen(t, r)[0], Limits{Cosine: 1, Agreement: 1})
		if !got.Identical || !got.Equivalent || got.Divergence != nil || len(got.Spec) > 0 || len(got.Iterations) != 3 {
			t.Errorf("%+v", got)
		}
		for _, it := range got.Iterations {
			if !it.Identical || !it.Equivalent || len(it.OnlyA)+len(it.OnlyB) > 0 || *it.Cosine != 1 {
				t.Errorf("iteration %d: %+v", it.K, it)
			}
		}
	}
}

// TestRunsSwap exchanges the sides of whole reports on recorded runs.
func TestRunsSwap(t *testing.T) {
	all := several(t)
	for i, a := range all {
		for _, b := range all[:i] {
			forth, back := runs(t, a, b, Limits{}), runs(t, b, a, Limits{})
			forth.A, forth.B, forth.Done[0], forth.Done[1] = forth.B, forth.A, forth.Done[1], forth.Done[0]
			for j, f := range forth.Spec {
				forth.Spec[j].A, forth.Spec[j].B = f.B, f.A
			}
			for k, c := range forth.Iterations {
				set, err := b.optionSet(k)
				ok(t, err)
				forth.Iterations[k] = mirrored(c, set)
			}
			if diff := gocmp.Diff(forth, back, cmpopts.IgnoreUnexported(Pair{})); diff != "" {
				t.Errorf("- mirrored, + exchanged\n%s", diff)
			}
		}
	}
}

// TestRecordedPairs compares what is said of recorded options with the records, read another way, and with loops over
// states.
func TestRecordedPairs(t *testing.T) {
	all := perform(t, 2, tiny(0), with(t, tiny(1), "gamma", "0.8"))
	ends := [2]map[string]learnedOption{}
	var visits []behaviours.StateVisits
	for i, r := range all {
		options, walk := recordedOptions(t, r, 1)
		ends[i] = options
		visits = append(visits, walk...)
	}
	c := runs(t, all[0], all[1], Limits{}).Iterations[1]
	for _, p := range c.Pairs {
		a, b := ends[0][p.A], ends[1][p.B]
		want := naiveLikeness(all[0].Env.(envs.SimulatedEnv), a, b, visits)
		if diff := gocmp.Diff(want, *p.BehaviourSimilarity, cmpopts.EquateApprox(0, rounding)); diff != "" {
			t.Errorf("%s and %s: - naive, + reported\n%s", p.A, p.B, diff)
		}
		if p.SigmaA != a.option.Purpose.Sigma || p.SigmaB != b.option.Purpose.Sigma {
			t.Errorf("%s and %s: σ %v and %v", p.A, p.B, p.SigmaA, p.SigmaB)
		}
		cosine := naiveCos(naiveM(6, 0), a.option.Purpose.Vector, b.option.Purpose.Vector)
		if d := cosine - p.Cosine; d > rounding || d < -rounding {
			t.Errorf("%s and %s: cosine %v, want %v", p.A, p.B, p.Cosine, cosine)
		}
	}
	if len(c.Pairs) == 0 {
		t.Error("no pair")
	}
}

// recordedOptions returns those of iteration k by reference, with the states in which
// its steps began.
func recordedOptions(t *testing.T, r *Side, k int) (map[string]learnedOption, []behaviours.StateVisits) {
	t.Helper()
	options, visits := map[string]learnedOption{}, []behaviours.StateVisits{}
	_, err := r.VisitSteps(k, func(s recorded.Step) {
		visits = append(visits, behaviours.StateVisits{State: s.State, Steps: 1})
	})
	ok(t, err)
	ok(t, r.View(func(tx *tracker.Tx) error {
		learned, err := recorded.LoadOptions(tx, r.Env, r.Iterations[k])
		if err != nil {
			return err
		}
		for i, name := range r.Iterations[k].RecordsOf(schema.KindValue) {
			v, err := tracker.Load(tx, name, schema.DecodeValue)
			if err != nil {
				return err
			}
			p := learned[i].Purpose
			options[report.OptionRef(r.Label(), k, p.J, p.Sign)] = learnedOption{learned[i], v, r.Spec.Gamma}
		}
		return nil
	}))
	if len(visits) != int(r.Spec.Steps) {
		t.Fatalf("%d steps were walked", len(visits))
	}
	return options, visits
}

// TestOptions: the pair of two options is that of the report on their iterations,
// and the cosine keeps its sign.
func TestOptions(t *testing.T) {
	all := several(t)
	a, b := all[0], all[1]
	pair := runs(t, a, b, Limits{}).Iterations[2].Pairs[0]
	var refs [2]report.Ref
	for i, text := range []string{pair.A, pair.B} {
		ref, err := report.ParseRef(text)
		ok(t, err)
		refs[i] = ref
	}
	got, err := CompareOptions(t.Context(), a, refs[0], b, refs[1], Limits{})
	ok(t, err)
	pair.Matched = pair.Cosine >= got.Threshold
	if diff := gocmp.Diff(pair, got.Pair, cmpopts.IgnoreUnexported(Pair{})); diff != "" {
		t.Errorf("- of the iterations, + of the options\n%s", diff)
	}
	refs[1].Sign = -refs[1].Sign
	opposite, err := CompareOptions(t.Context(), a, refs[0], b, refs[1], Limits{Cosine: 0.01, Agreement: 0.01})
	ok(t, err)
	if opposite.Pair.Cosine != -got.Pair.Cosine || opposite.Pair.Matched || opposite.Equivalent {
		t.Errorf("against the opposite sign: %+v", opposite.Pair)
	}
	half, first := all[3], report.Ref{J: 1, Sign: 1} // another discount: the same first purpose
	other, err := CompareOptions(t.Context(), a, first, half, first, Limits{})
	ok(t, err)
	if !other.Pair.Matched || other.Pair.Cosine != 1 || other.Equivalent || other.Identical {
		t.Errorf("with another discount: %+v", other)
	}
	itself, err := CompareOptions(t.Context(), a, refs[0], a, refs[0], Limits{Cosine: 1, Agreement: 1})
	ok(t, err)
	if !itself.Identical || !itself.Equivalent {
		t.Errorf("an option with itself: %+v", itself)
	}
}

// TestShorterRun: what both have is compared, and they are not equivalent.
func TestShorterRun(t *testing.T) {
	long, short := perform(t, 3, tiny(0))[0], perform(t, 2, tiny(0))[0]
	empty := begun(t, tiny(0))
	for _, c := range []struct {
		a, b *Side
		want int
	}{{long, short, 2}, {short, long, 2}, {long, empty, 0}, {empty, begun(t, tiny(1)), 0}} {
		r := runs(t, c.a, c.b, Limits{})
		if r.Identical || r.Equivalent || r.Divergence != nil || len(r.Iterations) != c.want {
			t.Errorf("%d and %d iterations: %+v", len(c.a.Iterations), len(c.b.Iterations), r)
		}
	}
	if r := runs(t, empty, empty, Limits{}); !r.Identical || !r.Equivalent {
		t.Errorf("a run without iterations is not itself: %+v", r)
	}
}

// begun returns a run that was begun and has no iteration.
func begun(t *testing.T, spec schema.Spec) *Side {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	_, held, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: 2})
	ok(t, err)
	ok(t, w.Close(ctx))
	r, err := Open(ctx, store, held.Run.ID.String())
	ok(t, err)
	return r
}

// TestRefused: what cannot be compared is said with its reason and a remedy.
func TestRefused(t *testing.T) {
	a := perform(t, 2, tiny(0))[0]
	hidden := perform(t, 2, with(t, tiny(0), "hide", "3"))[0]
	far := report.Ref{Run: "x", K: 7, J: 1, Sign: 1}
	for _, c := range []struct {
		name, says string
		err        error
	}{
		{"runs of two environments", "hide 0 and 3", errOf(CompareRuns(t.Context(), a, hidden, Limits{}))},
		{"iterations of two environments", "hide 3 and 0", errOf(compareIterations(t.Context(), hidden, 9, a, 9, Limits{}))},
		{
			"options of two environments", "hide",
			errOf(CompareOptions(t.Context(), a, reference(a, 0, 1, 1), hidden, reference(hidden, 0, 1, 1), Limits{})),
		},
		{"a group of two environments", "hide", errOf(clusterSides(t.Context(), []*Side{a, hidden}, GroupOptions{}))},
		{"no such iteration of either", "no iteration 7", errOf(compareIterations(t.Context(), a, 7, a, 8, Limits{}))},
		{"no such iteration", "no iteration 2", errOf(compareIterations(t.Context(), a, 0, a, 2, Limits{}))},
		{"an option of no iteration", "no iteration 7", errOf(CompareOptions(t.Context(), a, far, a, far, Limits{}))},
		{
			"no such option", "no option 6-",
			errOf(CompareOptions(t.Context(), a, reference(a, 0, 1, 1), a, reference(a, 0, 6, -1), Limits{})),
		},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) || strings.Contains(c.err.Error(), "\n") ||
			schema.Remedy(c.err) == "" {
			t.Errorf("%s: %v", c.name, c.err)
		}
		if incomparable := strings.Contains(c.name, "environments"); incomparable != errors.Is(c.err, ErrIncomparable) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
