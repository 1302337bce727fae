package replay_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestVet: a run from elsewhere is refused for faults that its digests do not show.
func TestVet(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(run *tracker.Run)
		refused bool
	}{
		"a run":                   {func(*tracker.Run) {}, false},
		"a fork":                  {ancestor(kappa(3)), false},
		"no such environment":     {func(r *tracker.Run) { r.Spec.Env.Name = "maze" }, true},
		"a ring of 99 bits":       {func(r *tracker.Run) { r.Spec.Env.Params["bits"] = 99 }, true},
		"a parameter too many":    {func(r *tracker.Run) { r.Spec.Env.Params["colour"] = 1 }, true},
		"a fork between rings":    {ancestor(func(s *schema.Spec) { s.Env.Params["bits"] = 9 }), true},
		"a fork between readings": {ancestor(func(s *schema.Spec) { s.Dataset = schema.Cumulative }), true},
	} {
		run := tracker.Run{Spec: small()}
		c.change(&run)
		if err := replay.CheckImport(run); errors.Is(err, schema.ErrSpec) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ancestor(change func(*schema.Spec)) func(*tracker.Run) {
	return func(r *tracker.Run) {
		spec := small()
		change(&spec)
		r.Ancestors = []tracker.Ancestor{{Spec: spec, Until: 1}}
	}
}
