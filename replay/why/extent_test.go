package why

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// TestActs follows every option's policy from every state, step by step.
func TestActs(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Seed = 4
			run := performed(t, spec, 2)
			for k := range run.Iterations {
				for i, o := range loaded(t, run, k, schema.KindOption, schema.DecodeOption) {
					r := asked(t, run, k, o.Purpose.J, o.Purpose.Sign)
					if want := naiveActs(o); !cmp.Equal(*r.Acts, want) {
						t.Errorf("%s: %s", r.Option, cmp.Diff(want, *r.Acts))
					}
					if before := optionsBefore(run, k) + i; *r.Number != before {
						t.Errorf("%s is option %d, not %d", r.Option, *r.Number, before)
					}
				}
			}
		})
	}
}

func optionsBefore(run *recorded.Records, k int) (n int) {
	for _, it := range run.Iterations[:k] {
		n += len(it.RecordsOf(schema.KindOption))
	}
	return n
}

// naiveActs walks from each state of I on its own.
func naiveActs(o schema.Option) Extent {
	acts := Extent{States: len(o.Policy), Ends: []End{}, Certificate: o.Certificate}
	var lengths []int32
	ends := make([]int, len(o.Policy))
	for s := range o.Policy {
		at, n := s, int32(0)
		for ; o.Policy[at] != schema.Terminate; n++ {
			at = (at + 2*int(o.Policy[at]) - 1 + len(o.Policy)) % len(o.Policy)
		}
		if n > 0 {
			lengths = append(lengths, n)
			ends[at]++
		}
	}
	for s, from := range ends {
		if from > 0 {
			acts.Ends = append(acts.Ends, End{State: s, From: from,
				Name: fmt.Sprintf("%0*b", bits.Len(uint(len(o.Policy)-1)), s)})
		}
	}
	slices.SortStableFunc(acts.Ends, func(x, y End) int { return y.From - x.From })
	acts.DistinctEnd = len(acts.Ends)
	acts.Ends = acts.Ends[:min(20, len(acts.Ends))]
	slices.Sort(lengths)
	if n := len(lengths); n > 0 {
		acts.Lengths = Lengths{
			lengths[0], lengths[(n-1)/4], lengths[(n-1)/2], lengths[(n-1)*3/4], lengths[(n-1)*19/20], lengths[n-1],
		}
	}
	return acts
}

// TestNoInitiation audits an option that acts nowhere, for want of a q above the
// tolerance.
func TestNoInitiation(t *testing.T) {
	spec := small(6, 0)
	spec.Tolerance = 50
	r := asked(t, performed(t, spec, 1), 0, 1, 1)
	if a := r.Acts; !a.Certificate.Null || a.Certificate.Initiation != 0 || a.Certificate.Reach != nil ||
		a.Lengths != (Lengths{}) || len(a.Ends) != 0 {
		t.Errorf("an option that acts nowhere: %+v", a)
	}
}
