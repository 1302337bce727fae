package why

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// TestAncestors compares influences with a recursion over all paths.
func TestAncestors(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Seed, spec.Kappa = 2, 6
			run := performed(t, spec, 4)
			paths := newPaths(t, run)
			for k := range run.Iterations {
				for _, p := range selected(t, run, k) {
					r := asked(t, run, k, p.J, p.Sign)
					checkAncestors(t, r, paths.of(r.Option), k)
				}
			}
		})
	}
}

// reached is what paths lead to: an option or a primitive action.
type reached struct {
	influence, share float64
	depth            int
}

// paths are the naive shares of every option of a run.
type paths struct {
	shares map[string]map[string]float64 // by option, by the option being executed
}

func newPaths(t *testing.T, run *recorded.Records) paths {
	t.Helper()
	all, names := paths{map[string]map[string]float64{}}, optionNames(t, run)
	for k := range run.Iterations {
		steps := stepsOf(t, run, k)
		for _, p := range selected(t, run, k) {
			shares := map[string]float64{}
			for _, s := range steps {
				if _, had := shares[s.source]; had {
					continue
				}
				shares[s.source], _ = parts(p.Vector, steps, func(x step) bool { return x.source == s.source })
			}
			all.shares[names[len(all.shares)]] = shares
		}
	}
	return all
}

// of walks every path from an option.
func (p paths) of(option string) map[string]reached {
	all := map[string]reached{}
	p.walk(option, 1, 1, all)
	return all
}

func (p paths) walk(option string, influence float64, depth int, all map[string]reached) {
	for source, share := range p.shares[option] {
		if share == 0 {
			continue
		}
		r, had := all[source]
		if !had || depth < r.depth {
			r.depth = depth
		}
		if depth == 1 {
			r.share = share
		}
		r.influence += influence * share
		all[source] = r
		p.walk(source, influence*share, depth+1, all)
	}
}

// checkAncestors compares a report with the naive paths, of which all end in
// primitive actions.
func checkAncestors(t *testing.T, r *Report, want map[string]reached, k int) {
	t.Helper()
	if actions := want["left"].influence + want["right"].influence; math.Abs(actions-1) > 1e-12 {
		t.Errorf("%s: %v of the paths end in primitive actions", r.Option, actions)
	}
	delete(want, "left")
	delete(want, "right")
	if len(r.Ancestors) != len(want) || k > 0 && len(want) == 0 {
		t.Errorf("%s has %d ancestors, of %d", r.Option, len(r.Ancestors), len(want))
	}
	for _, a := range r.Ancestors {
		w := want[a.Option]
		if a.Depth != w.depth || !near(a.Share, w.share, 1e-12) || !near(a.Influence, w.influence, 1e-12) {
			t.Errorf("%s: %+v, by all paths %+v", r.Option, a, w)
		}
	}
	if !slices.IsSortedFunc(r.Ancestors, func(x, y Ancestor) int { return -cmp.Compare(x.Influence, y.Influence) }) {
		t.Errorf("%s: its ancestors are out of order", r.Option)
	}
}

// TestShortestPath reaches option 0 by two paths, of which the longer one is come
// upon first: 3/1+ ← 2/1+ ← 1/2+ ← 0/1+, and 3/1+ ← 1/1+ ← 0/1+.
func TestShortestPath(t *testing.T) {
	walk := func() *pen { return &pen{bits: 2} }
	spec := small(2, 0)
	spec.Kappa = 0.5 // so that an iteration makes four options
	run := handmade(t, filepath.Join(t.TempDir(), "podtrack.db"), spec, [][]schema.Transitions{
		walk().act(schema.Primitive, "++++").chunks,
		walk().act(0, "++++").chunks,
		walk().act(6, "++++").chunks,
		walk().act(4, "++").act(8, "++").chunks,
	})
	names := optionNames(t, run)
	depths := map[string]int{}
	for _, a := range asked(t, run, 3, 1, 1).Ancestors {
		depths[a.Option] = a.Depth
	}
	if want := map[string]int{names[4]: 1, names[8]: 1, names[6]: 2, names[0]: 2}; fmt.Sprint(depths) != fmt.Sprint(want) {
		t.Errorf("depths %v, want %v", depths, want)
	}
}
