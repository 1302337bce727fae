package stages

import (
	"bytes"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// maxSavedObservations is the largest size, in bytes, up to which a checkpoint holds the observations of the unfinished
// chunk: every checkpoint writes them again. Above it the checkpoint holds fingerprints, which suffice to recognise the
// observations when the actions are repeated.
const maxSavedObservations = 1 << 20

// saveObservations adds the observations that first appear in the unfinished chunk to a
// checkpoint.
func (it *Iteration) saveObservations(at *checkpointState) (err error) {
	env := it.RunState.Growing()
	if env == nil || env.States() == it.recordedStates {
		return nil
	}
	x := env.Observed()
	if (x.States()-it.recordedStates)*x.ObservationSize() <= maxSavedObservations {
		at.Observations, err = x.ObservationsFrom(it.recordedStates).Encode()
		return err
	}
	for s := it.recordedStates + len(it.fingerprints)/envs.FingerprintSize; s < x.States(); s++ {
		it.fingerprints = x.AppendFingerprint(it.fingerprints, s)
	}
	at.Fingerprints = it.fingerprints
	return nil
}

// restoreObservations adds the observations that a checkpoint holds completely.
func (it *Iteration) restoreObservations(at checkpointState) error {
	if at.Observations == nil {
		return nil
	}
	o, err := schema.DecodeObservations(at.Observations)
	if err == nil {
		err = it.RunState.Growing().Observed().LoadObservations(&o)
	}
	return err
}

// checkFingerprint compares a repeated observation with its fingerprint, if there is one.
func (it *Iteration) checkFingerprint(prints []byte, s int) error {
	i := s - it.recordedStates
	if prints == nil || i < 0 {
		return nil
	}
	if (i+1)*envs.FingerprintSize > len(prints) ||
		!bytes.Equal(it.RunState.Growing().Observed().AppendFingerprint(nil, s),
			prints[i*envs.FingerprintSize:(i+1)*envs.FingerprintSize]) {
		return fmt.Errorf("%w: the observation differs from the recorded one", envs.ErrEnvNotRepeatable)
	}
	return nil
}

// putObservations records the observations that first appear in the chunk.
func (it *Iteration) putObservations() error {
	x := it.RunState.Growing()
	if x == nil {
		return nil
	}
	err := it.Put(Collect, it.Chunks, schema.KindObservations,
		x.Observed().ObservationsFrom(it.recordedStates).Encode)
	it.recordedStates, it.fingerprints = x.States(), nil
	return err
}

// DiscardObservations discards the iteration's observations.
func (it *Iteration) DiscardObservations() {
	x := it.RunState.Growing()
	if x == nil {
		return
	}
	x.Observed().Truncate(it.initialStates)
	for _, o := range it.RunState.options.Options {
		o.Policy = o.Policy[:min(len(o.Policy), it.initialStates)]
	}
	it.recordedStates, it.fingerprints = it.initialStates, nil
}
