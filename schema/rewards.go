package schema

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema/wire"
)

// Rewards are the rewards of a chunk of transitions, one for each step: finite, and never −0. Only environments
// that declare a reward have them.
type Rewards []float64

// maxRewardValues is the largest number of different rewards of a record that lists them once.
const maxRewardValues = 128

// Encode returns the record's bytes. Shape: [steps, values]. Payload: the different rewards f64, in the
// order in which they first appear, then for each step the packed index of its reward. If there are more than
// 128, values is 0, and the payload is the rewards f64.
func (r Rewards) Encode() ([]byte, error) {
	values, places := r.tabulate()
	var p *recordWriter
	if len(values) == 0 {
		p = newRecordWriter(KindRewards, 8*len(r), uint64(len(r)), 0)
		p.WriteFloats(r)
	} else {
		width := wire.PackedWidth(uint64(len(values)))
		p = newRecordWriter(KindRewards, 8*len(values)+len(places)*width/8, uint64(len(r)), uint64(len(values)))
		p.WriteFloats(values)
		p.WritePacked(places, width, uint64(len(values)))
	}
	if err := r.check(); err != nil {
		p.Fail(err)
	}
	return p.Finish(KindRewards)
}

// tabulate returns the different rewards in the order in which they first appear, and the index of each step's
// reward among them. It returns nil if there are more than a table may have.
func (r Rewards) tabulate() (values []float64, places []uint8) {
	known := map[uint64]uint8{}
	places = make([]uint8, len(r))
	for i, x := range r {
		place, ok := known[math.Float64bits(x)]
		if !ok && len(values) == maxRewardValues {
			return nil, nil
		}
		if !ok {
			place = uint8(len(values))
			known[math.Float64bits(x)], values = place, append(values, x)
		}
		places[i] = place
	}
	return values, places
}

// DecodeRewards decodes what [Rewards.Encode] returns.
func DecodeRewards(record []byte) (Rewards, error) {
	return decodeRecord(record, KindRewards, 2, func(u *recordReader) (r Rewards) {
		n, m := u.Shape[0], u.Shape[1]
		u.require(n <= ChunkSteps && m <= maxRewardValues)
		if m == 0 {
			r = u.ReadFloats(n)
		} else {
			r = u.readTable(n, m)
		}
		if values, _ := r.tabulate(); uint64(len(values)) != m {
			u.Fail(fmt.Errorf("%w: %d different rewards in a table of %d", wire.ErrNotCanonical,
				len(values), m))
		}
		return r
	}, Rewards.check)
}

// readTable reads a table of m rewards and n places in it, and verifies that the table is in the order in which
// the places use it.
func (r *recordReader) readTable(n, m uint64) Rewards {
	values := r.ReadFloats(m)
	places := r.ReadPacked(n, wire.PackedWidth(m), m)
	if r.Failed() {
		return nil
	}
	rewards, next := make(Rewards, n), uint8(0)
	for i, place := range places {
		if place > next {
			r.Fail(fmt.Errorf("%w: step %d has reward %d, and %d was not used before", wire.ErrNotCanonical, i, place, next))
			return nil
		}
		if place == next {
			next++
		}
		rewards[i] = values[place]
	}
	return rewards
}

func (r Rewards) check() error {
	if len(r) > ChunkSteps {
		return fmt.Errorf("%w: %d rewards, more than a chunk has", wire.ErrMalformed, len(r))
	}
	return checkZeros("reward", r)
}
