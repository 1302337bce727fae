package replay

import (
	"bytes"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// maxSavedObservations bounds the observations of the unfinished chunk that a checkpoint has
// whole, in bytes, since every checkpoint writes them again. Of more it has the
// fingerprints, so that they can be recognised when the actions are repeated.
const maxSavedObservations = 1 << 20

// unrecorded notes in a checkpoint what the unfinished chunk first saw.
func (it *iteration) saveObservations(at *checkpointState) (err error) {
	x := it.runState.external()
	if x == nil || x.States() == it.recordedStates {
		return nil
	}
	if (x.States()-it.recordedStates)*x.ObservationSize() <= maxSavedObservations {
		at.Seen, err = x.ObservationsFrom(it.recordedStates).Encode()
		return err
	}
	for s := it.recordedStates + len(it.fingerprints)/pod.FingerprintSize; s < x.States(); s++ {
		it.fingerprints = x.AppendFingerprint(it.fingerprints, s)
	}
	at.Prints = it.fingerprints
	return nil
}

// recallUnrecorded makes known what a checkpoint has whole.
func (it *iteration) restoreObservations(at checkpointState) error {
	if at.Seen == nil {
		return nil
	}
	o, err := schema.DecodeObservations(at.Seen)
	if err == nil {
		err = it.runState.external().LoadObservations(&o)
	}
	return err
}

// recognise holds a state that was seen again to its fingerprint, where there are any.
func (it *iteration) checkFingerprint(prints []byte, s int) error {
	i := s - it.recordedStates
	if prints == nil || i < 0 {
		return nil
	}
	if (i+1)*pod.FingerprintSize > len(prints) || !bytes.Equal(it.runState.external().AppendFingerprint(nil, s), prints[i*pod.FingerprintSize:(i+1)*pod.FingerprintSize]) {
		return fmt.Errorf("%w: another observation", pod.ErrEnvNotRepeatable)
	}
	return nil
}
