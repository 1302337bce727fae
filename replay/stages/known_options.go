package stages

import (
	"slices"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/schema"
)

// knownOptions are the options that are in memory: those of all iterations since the first whose options
// are in the action set of this iteration or of a later one.
type knownOptions struct {
	collect.OptionSet
	from   int   // the iteration that made the first of them
	counts []int // of the options of each iteration from there on
}

// skip counts the options of an iteration that no later one calls. Those before it must be skipped too.
func (o *knownOptions) skip(n int) {
	o.from++
	o.First += n
}

// add adds the options of the next iteration.
func (o *knownOptions) add(learned []*schema.Option) {
	o.counts = append(o.counts, len(learned))
	o.Options = append(o.Options, learned...)
}

// forget forgets the options that were made before an iteration.
func (o *knownOptions) forget(before int) {
	gone := 0
	for ; o.from < before && len(o.counts) > 0; o.counts = o.counts[1:] {
		gone += o.counts[0]
		o.from++
	}
	if gone > 0 {
		o.First, o.Options = o.First+gone, slices.Clone(o.Options[gone:])
	}
}

// since returns the options that were made from an iteration on.
func (o *knownOptions) since(from int) collect.OptionSet {
	before := 0
	for i := range min(max(0, from-o.from), len(o.counts)) {
		before += o.counts[i]
	}
	return collect.OptionSet{First: o.First + before, Options: o.Options[before:]}
}

// available returns the action set of iteration k.
func (p *State) available() collect.OptionSet {
	spec := p.Spec()
	set := p.options.since(spec.FirstAvailable(p.K))
	set.LeaveOut = spec.LeaveOut
	return set
}

// firstNeeded returns the first iteration whose options iteration k or a later one can call.
func (p *State) firstNeeded(k int) int {
	needed, begin := k, 0
	for _, a := range p.Run.Ancestors {
		if k < a.Until {
			needed = min(needed, a.Spec.FirstAvailable(max(k, begin)))
		}
		begin = a.Until
	}
	return min(needed, p.Run.Spec.FirstAvailable(max(k, begin)))
}
