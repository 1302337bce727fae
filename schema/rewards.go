package schema

import (
	"fmt"
	"math"
)

// Rewards are those of the steps of a chunk of transitions, in their order: finite, and never −0. Only
// environments that declare a reward have them.
type Rewards []float64

// maxRewardValues is the largest number of different rewards of a record that lists them once.
const maxRewardValues = 128

// Encode returns the record's bytes. Shape: [steps, values]. Payload: the different rewards f64, in the
// order in which they first appear, and the packed place of each step's among them. If there are more than
// 128, values is 0, and the payload is the rewards f64.
func (r Rewards) Encode() ([]byte, error) {
	values, places := r.tabulate()
	var p *recordWriter
	if len(values) == 0 {
		p = newRecordWriter(KindRewards, 8*len(r), uint64(len(r)), 0)
		p.writeFloats(r)
	} else {
		width := packedWidth(uint64(len(values)))
		p = newRecordWriter(KindRewards, 8*len(values)+len(places)*width/8, uint64(len(r)), uint64(len(values)))
		p.writeFloats(values)
		p.writePacked(places, width, uint64(len(values)))
	}
	if err := r.check(); err != nil {
		p.fail(err)
	}
	return p.finish(KindRewards)
}

// tabulate returns the different rewards in the order in which they first appear, and the place of each
// among them. It returns none if there are more than a table may have.
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
	shape, u, err := openRecord(record, KindRewards, 2)
	if err != nil {
		return nil, err
	}
	n, m := shape[0], shape[1]
	if n > ChunkSteps || m > maxRewardValues {
		return nil, wrapDecodeError(KindRewards, fmt.Errorf("%w: shape %v", ErrMalformed, shape))
	}
	var r Rewards
	if m == 0 {
		r = u.readFloats(n)
	} else {
		r = u.tabulated(n, m)
	}
	if err := u.end(); err != nil {
		return nil, wrapDecodeError(KindRewards, err)
	}
	if values, _ := r.tabulate(); uint64(len(values)) != m {
		return nil, wrapDecodeError(KindRewards, fmt.Errorf("%w: %d different rewards are listed as %d", ErrNotCanonical,
			len(values), m))
	}
	return r, wrapDecodeError(KindRewards, r.check())
}

// tabulated reads a table of m rewards and n places in it, each of which must first appear in order.
func (u *recordReader) tabulated(n, m uint64) Rewards {
	values := u.readFloats(m)
	places := u.readPacked(n, packedWidth(m), m)
	if u.failed() {
		return nil
	}
	r, next := make(Rewards, n), uint8(0)
	for i, place := range places {
		if place > next {
			u.fail(fmt.Errorf("%w: the reward of step %d is number %d before number %d", ErrNotCanonical, i, place, next))
			return nil
		}
		if place == next {
			next++
		}
		r[i] = values[place]
	}
	return r
}

func (r Rewards) check() error {
	if len(r) > ChunkSteps {
		return fmt.Errorf("%w: %d rewards of a chunk", ErrMalformed, len(r))
	}
	for i, x := range r {
		if x == 0 && math.Signbit(x) {
			return fmt.Errorf("%w: reward %d is -0", ErrNotCanonical, i)
		}
	}
	return nil
}
