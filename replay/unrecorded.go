package replay

import (
	"bytes"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// maxSeenNow bounds the observations of the unfinished chunk that a checkpoint has
// whole, in bytes, since every checkpoint writes them again. Of more it has the
// fingerprints, so that they can be recognised when the actions are repeated.
const maxSeenNow = 1 << 20

// unrecorded notes in a checkpoint what the unfinished chunk first saw.
func (it *iteration) unrecorded(at *position) (err error) {
	x := it.prefix.external()
	if x == nil || x.States() == it.seen {
		return nil
	}
	if (x.States()-it.seen)*x.ObservationSize() <= maxSeenNow {
		at.Seen, err = x.ObservationsFrom(it.seen).Encode()
		return err
	}
	for s := it.seen + len(it.prints)/pod.FingerprintSize; s < x.States(); s++ {
		it.prints = x.AppendFingerprint(it.prints, s)
	}
	at.Prints = it.prints
	return nil
}

// recallUnrecorded makes known what a checkpoint has whole.
func (it *iteration) recallUnrecorded(at position) error {
	if at.Seen == nil {
		return nil
	}
	o, err := schema.DecodeObservations(at.Seen)
	if err == nil {
		err = it.prefix.external().LoadObservations(&o)
	}
	return err
}

// recognise holds a state that was seen again to its fingerprint, where there are any.
func (it *iteration) recognise(prints []byte, s int) error {
	i := s - it.seen
	if prints == nil || i < 0 {
		return nil
	}
	if (i+1)*pod.FingerprintSize > len(prints) || !bytes.Equal(it.prefix.external().AppendFingerprint(nil, s), prints[i*pod.FingerprintSize:(i+1)*pod.FingerprintSize]) {
		return fmt.Errorf("%w: another observation", pod.ErrEnvNotRepeatable)
	}
	return nil
}
