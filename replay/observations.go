package replay

import (
	"bytes"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// maxSavedObservations limits the observations of the unfinished chunk that a checkpoint holds
// completely, in bytes, since every checkpoint writes them again. Beyond the limit it holds
// fingerprints, which identify the observations when the actions are repeated.
const maxSavedObservations = 1 << 20

// saveObservations adds the observations that first appear in the unfinished chunk to a
// checkpoint.
func (it *iteration) saveObservations(at *checkpointState) (err error) {
	env := it.runState.growing()
	if env == nil || env.States() == it.recordedStates {
		return nil
	}
	x := env.Observed()
	if (x.States()-it.recordedStates)*x.ObservationSize() <= maxSavedObservations {
		at.Observations, err = x.ObservationsFrom(it.recordedStates).Encode()
		return err
	}
	for s := it.recordedStates + len(it.fingerprints)/pod.FingerprintSize; s < x.States(); s++ {
		it.fingerprints = x.AppendFingerprint(it.fingerprints, s)
	}
	at.Fingerprints = it.fingerprints
	return nil
}

// restoreObservations adds the observations that a checkpoint holds completely.
func (it *iteration) restoreObservations(at checkpointState) error {
	if at.Observations == nil {
		return nil
	}
	o, err := schema.DecodeObservations(at.Observations)
	if err == nil {
		err = it.runState.growing().Observed().LoadObservations(&o)
	}
	return err
}

// checkFingerprint compares a repeated observation with its fingerprint, if there is one.
func (it *iteration) checkFingerprint(prints []byte, s int) error {
	i := s - it.recordedStates
	if prints == nil || i < 0 {
		return nil
	}
	if (i+1)*pod.FingerprintSize > len(prints) ||
		!bytes.Equal(it.runState.growing().Observed().AppendFingerprint(nil, s),
			prints[i*pod.FingerprintSize:(i+1)*pod.FingerprintSize]) {
		return fmt.Errorf("%w: another observation", pod.ErrEnvNotRepeatable)
	}
	return nil
}

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
