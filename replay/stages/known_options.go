package stages

import (
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/schema"
)

// knownOptions are the options in memory: those of every iteration from the first one whose options this iteration or a
// later one can still call.
type knownOptions struct {
	collect.OptionSet
	from   int // iteration that made the first of them
	starts collect.Starts
	counts []int // number of options of each iteration from there on
}

// forget drops the options that were made before an iteration.
func (k *knownOptions) forget(before int) {
	gone := 0
	for ; k.from < before && len(k.counts) > 0; k.counts = k.counts[1:] {
		gone += k.counts[0]
		k.from++
	}
	if gone > 0 {
		k.First, k.Options = k.First+gone, slices.Clone(k.Options[gone:])
	}
}

// since returns the options that were made from an iteration on.
func (k *knownOptions) since(from int) collect.OptionSet {
	before := 0
	for i := range min(max(0, from-k.from), len(k.counts)) {
		before += k.counts[i]
	}
	return collect.OptionSet{First: k.First + before, Options: k.Options[before:]}
}

// available returns the action set of iteration k.
func (s *State) available() collect.OptionSet {
	spec := s.Spec()
	set := s.options.since(spec.FirstAvailable(s.K))
	set.LeaveOut = spec.LeaveOut
	return set
}

// needsVectors reports whether an iteration needs the purposes of earlier iterations' options: to compare them, or for
// an external stage, which is given all there is of an option.
func needsVectors(spec schema.Spec) bool {
	rule, err := spec.Select.ParseRule()
	return err != nil || rule.By.ComparesOptions() || len(spec.Stages.Names()) > 0
}

// addOptions adds the options of the next iteration to those in memory.
func (s *State) addOptions(learned []*schema.Option) {
	for _, o := range learned {
		s.forgetVector(o)
	}
	s.options.counts = append(s.options.counts, len(learned))
	s.options.Options = append(s.options.Options, learned...)
}

// forgetVector drops the vector of a recorded option's purpose, which may be many times the size of its policy, unless
// another iteration needs it.
func (s *State) forgetVector(o *schema.Option) {
	needed := needsVectors(s.Run.Spec)
	for _, a := range s.Run.Ancestors {
		needed = needed || needsVectors(a.Spec)
	}
	if !needed {
		o.Purpose.Vector = nil
	}
}

// firstNeeded returns the first iteration whose options iteration k or a later one can call.
func (s *State) firstNeeded(k int) int {
	needed, begin := k, 0
	for _, a := range s.Run.Ancestors {
		if k < a.Until {
			needed = min(needed, a.Spec.FirstAvailable(max(k, begin)))
		}
		begin = a.Until
	}
	return min(needed, s.Run.Spec.FirstAvailable(max(k, begin)))
}
