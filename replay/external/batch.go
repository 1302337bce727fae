package external

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// batch holds the results of steps that were taken ahead, and which of them were used.
type batch struct {
	actions      []uint8 // that were taken
	ends         []uint8 // one a step, a [envs.EpisodeEnd]
	rewards      []float64
	observations []byte // after each step, and at the start of the next episode if one ended
	used         int    // number of steps
	more         bool   // steps of the same answer follow
}

// left returns the number of steps whose results were not used.
func (b *batch) left() int { return len(b.ends) - b.used }

// batchForm is the expected form of an answer.
type batchForm struct {
	declared schema.External
	size     int     // bytes of an observation
	actions  []uint8 // requested; nil if the program decides
	most     int     // number of steps
	isRest   bool    // earlier parts of the answer have been read
}

// rest returns the form of the rest of an answer, after a part with that many steps.
func (b *batchForm) rest(steps int) batchForm {
	rest := *b
	rest.most, rest.isRest = b.most-steps, true
	if b.actions != nil {
		rest.actions = b.actions[steps:]
	}
	return rest
}

// maxBytes returns the largest length of a payload.
func (b *batchForm) maxBytes() int { return b.most * (b.stepBytes() + 2*b.size) }

// stepBytes returns the number of bytes that a step takes apart from observations.
func (b *batchForm) stepBytes() int {
	n := 1
	if b.actions == nil {
		n++
	}
	if b.declared.Reward {
		n += 8
	}
	return n
}

// readFrame returns the batch of the given number of steps in a payload. It keeps the payload, and
// makes −0 in it 0.
func (b *batchForm) readFrame(payload []byte, steps int) (batch, error) {
	var got batch
	if err := b.checkSteps(steps); err != nil {
		return got, err
	}
	if len(payload) < steps*b.stepBytes() {
		return got, fmt.Errorf("a payload of %d bytes, too few for %d steps", len(payload), steps)
	}
	got.ends, payload = payload[:steps], payload[steps:]
	got.actions = b.actions[:min(steps, len(b.actions))]
	if b.actions == nil {
		got.actions, payload = payload[:steps], payload[steps:]
	}
	if b.declared.Reward {
		for i := range steps {
			got.rewards = append(got.rewards, math.Float64frombits(binary.LittleEndian.Uint64(payload[8*i:]))+0) // never −0
		}
		payload = payload[8*steps:]
	}
	got.observations = payload
	ended, err := b.checkSmall(&got)
	if err != nil {
		return got, err
	}
	if want := (steps + ended) * b.size; len(payload) != want {
		return got, fmt.Errorf("a payload with %d bytes of observations; %d steps, %d of which ended an episode, "+
			"have %d", len(payload), steps, ended, want)
	}
	for i := range steps + ended {
		if err := b.checkObservation(got.observations[i*b.size : (i+1)*b.size]); err != nil {
			return got, got.locate(i, err)
		}
	}
	return got, nil
}

// readLists returns the batch in an answer that has lists.
func (b *batchForm) readLists(a answer, o *observer) (batch, error) {
	got := batch{ends: make([]uint8, len(a.Ends)), actions: b.actions[:min(len(a.Ends), len(b.actions))]}
	if a.Ends == nil || a.Observations == nil {
		return got, errors.New("no observations or no ends of steps")
	}
	if err := b.checkSteps(len(a.Ends)); err != nil {
		return got, err
	}
	for i, end := range a.Ends {
		got.ends[i] = uint8(min(uint64(end), math.MaxUint8))
	}
	if !b.declared.Reward && a.Rewards != nil {
		return got, errors.New("unexpected rewards: its answer to hello does not declare a reward")
	}
	if b.declared.Reward {
		if len(a.Rewards) != len(got.ends) || slices.Contains(a.Rewards, nil) {
			return got, fmt.Errorf("not one reward for each of the %d steps", len(got.ends))
		}
		for _, r := range a.Rewards {
			got.rewards = append(got.rewards, *r+0)
		}
	}
	ended, err := b.checkSmall(&got)
	if err != nil {
		return got, err
	}
	if want := len(got.ends) + ended; len(a.Observations) != want {
		return got, fmt.Errorf("%d observations; %d steps, %d of which ended an episode, have %d",
			len(a.Observations), len(got.ends), ended, want)
	}
	for i, raw := range a.Observations {
		if got.observations, err = o.read(raw, got.observations); err != nil {
			return got, got.locate(i, err)
		}
	}
	return got, nil
}

// checkSteps checks the number of steps in an answer.
func (b *batchForm) checkSteps(steps int) error {
	if steps < 0 || steps > b.most || steps == 0 && b.actions != nil && !b.isRest {
		return fmt.Errorf("%d steps, but %d were requested", steps, b.most)
	}
	return nil
}

// checkSmall checks how episodes ended, actions and rewards, and returns the number of episodes that ended.
func (b *batchForm) checkSmall(got *batch) (ended int, err error) {
	for i, end := range got.ends {
		switch envs.EpisodeEnd(end) {
		case envs.NotEnded:
		case envs.Terminated, envs.Truncated:
			ended++
		default:
			return 0, fmt.Errorf("step %d of the answer ends an episode by %d; write 0, 1 for terminated, or 2 for "+
				"truncated", i, end)
		}
	}
	for i, a := range got.actions {
		if int(a) >= len(b.declared.Actions) {
			return 0, fmt.Errorf("step %d of the answer took action %d; there are %d actions", i, a, len(b.declared.Actions))
		}
	}
	for i, r := range got.rewards {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return 0, fmt.Errorf("step %d of the answer has a reward that is not a finite number", i)
		}
	}
	return ended, nil
}

// checkObservation checks one packed observation, and makes −0 in it 0.
func (b *batchForm) checkObservation(o []byte) error {
	switch b.declared.Observes {
	case schema.Discrete:
		if n := binary.LittleEndian.Uint32(o); int64(n) >= b.declared.Size {
			return fmt.Errorf("observation %d is not in 0..%d", n, b.declared.Size-1)
		}
	case schema.Binary:
		if unused := b.declared.Size % 8; unused > 0 && o[b.size-1]>>unused != 0 {
			return fmt.Errorf("observation has more bits than its %d features", b.declared.Size)
		}
	default:
		for j, name := range b.declared.Features {
			x := math.Float64frombits(binary.LittleEndian.Uint64(o[8*j:]))
			if err := envs.CheckFeature(name, x); err != nil {
				return fmt.Errorf("observation: %w", err)
			}
			binary.LittleEndian.PutUint64(o[8*j:], math.Float64bits(x+0))
		}
	}
	return nil
}

// locate adds to err the step of observation i. A step that ends an episode has two, the second of which is the first
// of the next episode.
func (b *batch) locate(i int, err error) error {
	step := 0
	for ; step < len(b.ends); step++ {
		n := 1
		if envs.EpisodeEnd(b.ends[step]) != envs.NotEnded {
			n = 2
		}
		if i < n {
			break
		}
		i -= n
	}
	return fmt.Errorf("%w, in step %d of the answer", err, step)
}

// next returns the result of the next step, in states. After an error no result counts as used.
func (b *batch) next(size int, intern func([]byte) (int, error)) (o envs.StepResult, err error) {
	o.End = envs.EpisodeEnd(b.ends[b.used])
	if o.State, err = intern(b.observations[:size]); err != nil {
		return o, err
	}
	b.observations = b.observations[size:]
	if o.End != envs.NotEnded {
		if o.NextStart, err = intern(b.observations[:size]); err != nil {
			return o, err
		}
		b.observations = b.observations[size:]
	}
	if b.rewards != nil {
		o.Reward = b.rewards[b.used]
	}
	b.used++
	return o, nil
}
