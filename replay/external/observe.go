package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// observer converts observations from JSON to the binary form of [envs.ObservedStates]. It reuses its buffers.
type observer struct {
	declared schema.External
	bits     []uint8
	values   []float64
}

// read appends the binary form of an observation to b.
func (o *observer) read(raw json.RawMessage, b []byte) ([]byte, error) {
	if raw == nil {
		return b, errors.New("no observation")
	}
	switch o.declared.Observes {
	case schema.Discrete:
		return o.readNumber(raw, b)
	case schema.Binary:
		return o.readBits(raw, b)
	}
	return o.readValues(raw, b)
}

// readNumber parses the number of a state.
func (o *observer) readNumber(raw json.RawMessage, b []byte) ([]byte, error) {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || n >= o.declared.Size || string(raw) == "null" {
		return b, fmt.Errorf("observation %s is not in 0..%d", excerpt(raw), o.declared.Size-1)
	}
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), nil
}

// readBits parses a string of the characters 0 and 1, one for each feature.
func (o *observer) readBits(raw json.RawMessage, b []byte) ([]byte, error) {
	text := bytes.TrimSuffix(bytes.TrimPrefix(raw, []byte{'"'}), []byte{'"'})
	if len(raw) != len(text)+2 || int64(len(text)) != o.declared.Size {
		return b, fmt.Errorf("observation %s is not a string of %d bits", excerpt(raw), o.declared.Size)
	}
	o.bits = o.bits[:0]
	for _, c := range text {
		if c != '0' && c != '1' {
			return b, fmt.Errorf("observation %s has characters other than 0 and 1", excerpt(raw))
		}
		o.bits = append(o.bits, c-'0')
	}
	return envs.AppendBinaryObservation(b, o.bits), nil
}

// readValues parses an array of numbers, one for each feature.
func (o *observer) readValues(raw json.RawMessage, b []byte) ([]byte, error) {
	var given []*float64 // pointers, since null would decode as the number 0
	if err := json.Unmarshal(raw, &given); err != nil {
		return b, fmt.Errorf("observation %s is not a list of numbers", excerpt(raw))
	}
	if int64(len(given)) != o.declared.Size {
		return b, fmt.Errorf("observation has %d numbers for %d features", len(given), o.declared.Size)
	}
	o.values = o.values[:0]
	for i, x := range given {
		if x == nil {
			return b, fmt.Errorf("observation has no number for feature %q", o.declared.Features[i])
		}
		if err := envs.CheckFeature(o.declared.Features[i], *x); err != nil {
			return b, fmt.Errorf("observation: %w", err)
		}
		o.values = append(o.values, *x)
	}
	return envs.AppendRealObservation(b, o.values), nil
}

// declaresReward reports whether an answer to hello declares a reward.
func declaresReward(raw json.RawMessage) (bool, error) {
	switch string(raw) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fmt.Errorf("the reward in its answer to hello is %s, not true or false", excerpt(raw))
}

// readReward parses the reward of a step. declared is whether the program declares a reward; a step must have
// one if it does, and none if it does not. The result is never −0.
func readReward(declared bool, raw json.RawMessage) (float64, error) {
	switch {
	case !declared && raw == nil:
		return 0, nil
	case !declared:
		return 0, fmt.Errorf("unexpected reward %s: its answer to hello does not declare a reward", excerpt(raw))
	case raw == nil:
		return 0, errors.New("no reward, but its answer to hello declares one")
	}
	var reward *float64 // a pointer, since null would decode as the number 0
	if err := json.Unmarshal(raw, &reward); err != nil || reward == nil || math.IsInf(*reward, 0) {
		return 0, fmt.Errorf("reward %s is not a finite number", excerpt(raw))
	}
	return *reward + 0, nil // −0 + 0 = 0
}
