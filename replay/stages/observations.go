package stages

import (
	"bytes"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// maxSavedObservations is the largest size, in bytes, up to which a checkpoint holds the observations of the unfinished
// chunk: every checkpoint writes them again. Above it the checkpoint holds fingerprints, which suffice to recognise the
// observations when the actions are repeated.
const maxSavedObservations = 1 << 20

// saveObservations adds the observations that first appear in the unfinished chunk to a
// checkpoint.
func (i *Iteration) saveObservations(at *checkpointState) (err error) {
	env := i.RunState.Growing()
	if env == nil || env.States() == i.recordedStates {
		return nil
	}
	x := env.Observed()
	if (x.States()-i.recordedStates)*x.ObservationSize() <= maxSavedObservations {
		at.Observations, err = x.ObservationsFrom(i.recordedStates).Encode()
		return err
	}
	for s := i.recordedStates + len(i.fingerprints)/envs.FingerprintSize; s < x.States(); s++ {
		i.fingerprints = x.AppendFingerprint(i.fingerprints, s)
	}
	at.Fingerprints = i.fingerprints
	return nil
}

// restoreObservations adds the observations that a checkpoint holds completely.
func (i *Iteration) restoreObservations(at checkpointState) error {
	if at.Observations == nil {
		return nil
	}
	o, err := schema.DecodeObservations(at.Observations)
	if err == nil {
		err = i.RunState.Growing().Observed().LoadObservations(&o)
	}
	return err
}

// hasFingerprint reports whether a repeated observation has its fingerprint, if there is one.
func (i *Iteration) hasFingerprint(prints []byte, s int) bool {
	n := s - i.recordedStates
	if prints == nil || n < 0 {
		return true
	}
	begin, end := n*envs.FingerprintSize, (n+1)*envs.FingerprintSize
	return end <= len(prints) &&
		bytes.Equal(i.RunState.Growing().Observed().AppendFingerprint(nil, s), prints[begin:end])
}

// putObservations records the observations that first appear in the chunk.
func (i *Iteration) putObservations() error {
	x := i.RunState.Growing()
	if x == nil {
		return nil
	}
	err := i.Put(Collect, i.Chunks, schema.KindObservations,
		x.Observed().ObservationsFrom(i.recordedStates).Encode)
	i.recordedStates, i.fingerprints = x.States(), nil
	return err
}

// DiscardObservations discards the iteration's observations.
func (i *Iteration) DiscardObservations() {
	x := i.RunState.Growing()
	if x == nil {
		return
	}
	x.Observed().Truncate(i.initialStates)
	for _, o := range i.RunState.options.Options {
		o.Policy = o.Policy[:min(len(o.Policy), i.initialStates)]
	}
	i.recordedStates, i.fingerprints = i.initialStates, nil
}
