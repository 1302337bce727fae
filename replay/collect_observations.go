package replay

import "github.com/podtrack/podtrack/schema"

// putObservations records the observations that first appear in the chunk.
func (it *iteration) putObservations() error {
	x := it.runState.growing()
	if x == nil {
		return nil
	}
	err := it.put(StageCollect, it.chunks, schema.KindObservations,
		x.Observed().ObservationsFrom(it.recordedStates).Encode)
	it.recordedStates, it.fingerprints = x.States(), nil
	return err
}

// discardObservations discards the iteration's observations.
func (it *iteration) discardObservations() {
	x := it.runState.growing()
	if x == nil {
		return
	}
	x.Observed().Truncate(it.initialStates)
	for _, o := range it.runState.options.Options {
		o.Policy = o.Policy[:min(len(o.Policy), it.initialStates)]
	}
	it.recordedStates, it.fingerprints = it.initialStates, nil
}
