package warnings

import (
	"strconv"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// calls finds that options are not called, do not end, or keep the agent where it was.
func (r *Reader) calls(tx *tracker.Tx, it iteration) error {
	m := it.measures
	if m.Available == 0 {
		return nil
	}
	of := it.k // iteration 0 has no options
	calls := Calls{Available: m.Available, Calls: m.Calls, Steps: it.spec.Steps, Share: it.optionShare(),
		Limit: it.spec.MaxOptionSteps}
	if m.OptionLength != nil {
		calls.MeanLength = *m.OptionLength
	}
	if m.Calls == 0 && expectedCalls(it.spec) >= fewestCalls {
		calls.Examined = int64(len(r.options))
		for _, name := range r.options {
			o, err := tracker.Load(tx, name, schema.DecodeOption)
			if err != nil {
				return ignorePruned(err)
			}
			if o.Certificate.Initiation == 0 {
				calls.Empty++
			}
		}
		r.add(Warning{Kind: NeverCalled, Calls: &calls, States: r.states(it)}, it, of)
		return nil
	}
	if it.ends.mostlyTruncated() {
		calls.Calls, calls.Ended, calls.AtLimit = it.ends.calls, it.ends.ended, it.ends.atLimit
		calls.AtEpisode, calls.Episode, calls.Steps = it.ends.atEpisode, it.ends.longest, it.ends.steps
		r.add(Warning{Kind: NeverEnd, Calls: &calls, States: r.states(it), Remedies: endRemedies(it)}, it, of)
	}
	if r.first >= fewestStates && 2*m.StatesVisited <= r.first && calls.Share >= mostlyCalls {
		r.add(Warning{Kind: FewerStates, Calls: &calls, States: r.states(it), Remedies: stateRemedies(it)}, it, of)
	}
	return nil
}

func (r *Reader) states(it iteration) *States {
	return &States{Steps: it.spec.Steps, Visited: it.measures.StatesVisited, Before: r.first}
}

// expectedCalls returns a rough lower bound of the number of calls: that of an agent with one option and 19 actions.
func expectedCalls(spec schema.Spec) float64 {
	p := spec.OptionProbability
	if p == 0 {
		p = 1.0 / 20
	}
	return p * float64(spec.Steps) / collect.NewPersistence(spec.Behaviour).MeanSteps()
}

// callEnds counts how calls of options ended. Calls that the end of the iteration truncated are counted only in calls.
type callEnds struct {
	calls, ended, atLimit, atEpisode int64

	steps, truncatedSteps int64 // of the chunk, and of the calls that did not terminate by themselves
	longest               int64 // steps of the longest episode that was truncated
}

// mostlyTruncated reports whether calls that did not end by themselves took most of the steps.
func (c *callEnds) mostlyTruncated() bool {
	return c != nil && float64(c.truncatedSteps) >= mostlyCalls*float64(c.steps) &&
		(c.atLimit+c.atEpisode >= fewestEnds || c.steps >= fewestSteps)
}

// countEnds counts how the calls in a chunk ended. A call that ends because its episode terminated counts as
// terminating by itself: the option may have led there.
func countEnds(t *schema.Transitions, limit int64) (e callEnds) {
	at, begun, episodes := uint64(0), uint64(0), t.Episodes
	e.steps = int64(len(t.Actions))
	for i, span := range t.Spans {
		at += uint64(span.Steps)
		var last schema.Episode // that ended in the span
		for len(episodes) > 0 && episodes[0].Step <= at {
			if last = episodes[0]; !last.Terminated {
				e.longest = max(e.longest, int64(last.Step-begun))
			}
			begun, episodes = last.Step, episodes[1:]
		}
		if span.Option == schema.Primitive {
			continue
		}
		e.calls++
		switch withEpisode := last.Step == at; {
		case withEpisode && !last.Terminated:
			e.atEpisode++
		case int64(span.Steps) == limit:
			e.atLimit++
		case withEpisode || i < len(t.Spans)-1:
			e.ended++
			continue
		}
		e.truncatedSteps += int64(span.Steps)
	}
	return e
}

// endRemedies returns changes of the spec that make options terminate.
func endRemedies(it iteration) (remedies []Remedy) {
	// Where no state recurs, an option of known states would not be called.
	linear := it.spec.IsLinear() && float64(it.measures.StatesVisited) < newStates*float64(it.spec.Steps)
	if linear && it.spec.Initiation == schema.StartAnywhere {
		remedies = append(remedies, Remedy{Field: "initiation", Value: string(schema.StartObserved)})
	}
	if steps := schema.AutoOptionSteps(it.spec.Steps, it.ends.longest); steps < it.spec.MaxOptionSteps {
		remedies = append(remedies, Remedy{Field: "max_option_steps", Value: strconv.FormatInt(steps, 10)})
	}
	if linear {
		remedies = append(remedies, Remedy{Field: "learner", Value: string(schema.Empirical)})
	}
	return append(remedies, stateRemedies(it)...)
}

// stateRemedies returns changes of the spec that give primitive actions more of the steps.
func stateRemedies(it iteration) (remedies []Remedy) {
	if it.spec.OptionProbability == 0 {
		remedies = append(remedies, Remedy{Field: "option_probability", Value: "0.05"})
	}
	return remedies
}

// recurrence finds that states do not recur. A learner of single states, or a method over states, then learns nothing
// that is ever used again.
func (r *Reader) recurrence(it iteration) {
	steps, m := it.spec.Steps, it.measures
	aboutStates := !it.spec.IsLinear() || it.spec.Initiation == schema.StartObserved || it.spec.Method != ""
	if it.spec.Env.External == nil || steps < fewestSteps || !aboutStates ||
		float64(m.StatesVisited) < newStates*float64(steps) || it.optionShare() >= 1-newStates {
		return
	}
	r.add(Warning{
		Kind:     NoRecurrence,
		States:   &States{Steps: steps, Visited: m.StatesVisited, Before: r.first},
		Calls:    &Calls{Available: m.Available, Calls: m.Calls},
		Remedies: []Remedy{{}},
	}, it, it.k+1)
}
