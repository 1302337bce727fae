package schema

import (
	"fmt"

	"github.com/podtrack/podtrack/schema/wire"
)

// ChunkSteps is the length of every transitions record of an iteration but its last, in steps.
const ChunkSteps = 1 << 20

// MaxActions is the largest number of primitive actions of an environment.
const MaxActions = 127

// Primitive is the option number of steps that belong to no option.
const Primitive = -1

// Transitions are a chunk of an iteration's own steps. In a deterministic environment without episodes, Start and
// Actions determine every state, and so every row of D. Elsewhere Next holds the states.
type Transitions struct {
	Start    uint64    // index of the state before the first step
	Arity    int       // number of primitive actions, 1…MaxActions
	Actions  []uint8   // one for each step, below Arity
	Spans    []Span    // the option that decided, in order; lengths add up to the steps
	Next     []uint32  // index of the state after each step, or nil
	Episodes []Episode // resets, in order of Step
}

// A Span is a sequence of steps of one option call, or of primitive actions. Two adjacent
// spans have the same Option only if one call ended and another of the same option began.
type Span struct {
	Steps  uint32
	Option int32 // option number, or Primitive
}

// An Episode is a reset: the step before Step ended an episode, and the state before Step is State.
type Episode struct {
	Step       uint64
	State      uint64
	Terminated bool // by the environment, not by the limit on its steps
}

// Encode returns the record's bytes. Shape: [steps, arity, spans, episodes]. Payload:
// start u64 ‖ packed actions ‖ span lengths u32 ‖ span options i32, and in version 2,
// which has states: next states u32 ‖ (step, state) u64 pairs ‖ terminated as bits.
func (t Transitions) Encode() ([]byte, error) {
	n, version := uint64(len(t.Actions)), uint64(recordVersion)
	if t.Next != nil {
		version = statesVersion
	}
	width := wire.PackedWidth(uint64(t.Arity))
	p := newVersionedWriter(nil, KindTransitions, version,
		16+len(t.Actions)*width/8+8*len(t.Spans)+4*len(t.Next)+17*len(t.Episodes),
		n, uint64(t.Arity), uint64(len(t.Spans)), uint64(len(t.Episodes)))
	p.WriteUint64s(t.Start)
	p.WritePacked(t.Actions, width, uint64(t.Arity))
	for _, s := range t.Spans {
		p.WriteUint32s(s.Steps)
	}
	for _, s := range t.Spans {
		p.WriteUint32s(uint32(s.Option))
	}
	p.WriteUint32s(t.Next...)
	ended := make([]uint8, len(t.Episodes))
	for i, e := range t.Episodes {
		p.WriteUint64s(e.Step, e.State)
		if e.Terminated {
			ended[i] = 1
		}
	}
	if t.Next != nil {
		p.WritePacked(ended, 1, 2)
	}
	return p.Finish(KindTransitions)
}

// DecodeTransitions decodes what [Transitions.Encode] returns.
func DecodeTransitions(record []byte) (Transitions, error) {
	return decodeRecord(record, KindTransitions, 4, (*recordReader).readTransitions, Transitions.check)
}

func (r *recordReader) readTransitions() Transitions {
	states := r.Version == statesVersion
	steps, arity, spans, episodes := r.Shape[0], r.Shape[1], r.Shape[2], r.Shape[3]
	r.require(steps <= ChunkSteps && arity >= 1 && arity <= MaxActions && spans <= ChunkSteps &&
		episodes <= ChunkSteps+1)
	t := Transitions{Arity: int(arity)}
	if start := r.ReadUint64s(1); len(start) == 1 {
		t.Start = start[0]
	}
	t.Actions = r.ReadPacked(steps, wire.PackedWidth(arity), arity)
	lengths, options := r.ReadUint32s(spans), r.ReadUint32s(spans)
	if states {
		t.Next = r.ReadUint32s(steps)
	}
	pairs := r.ReadUint64s(2 * episodes)
	ended := make([]uint8, len(pairs)/2)
	if states {
		ended = r.ReadPacked(episodes, 1, 2)
	}
	if r.Failed() {
		return Transitions{}
	}
	for i := range lengths {
		t.Spans = append(t.Spans, Span{Steps: lengths[i], Option: int32(options[i])})
	}
	for i := 0; i < len(pairs); i += 2 {
		t.Episodes = append(t.Episodes, Episode{Step: pairs[i], State: pairs[i+1], Terminated: ended[i/2] == 1})
	}
	return t
}

// check verifies that spans cover the steps and that episodes are in order, which the arrays alone do not.
func (t Transitions) check() error {
	var covered uint64
	for _, s := range t.Spans {
		if s.Steps == 0 || s.Option < Primitive {
			return fmt.Errorf("%w: span of %d steps under option %d", wire.ErrMalformed, s.Steps, s.Option)
		}
		covered += uint64(s.Steps)
	}
	if covered != uint64(len(t.Actions)) {
		return fmt.Errorf("%w: spans cover %d of %d steps", wire.ErrMalformed, covered, len(t.Actions))
	}
	for i, e := range t.Episodes {
		if e.Step > uint64(len(t.Actions)) || i > 0 && e.Step <= t.Episodes[i-1].Step {
			return fmt.Errorf("%w: episode %d begins at step %d", wire.ErrMalformed, i, e.Step)
		}
	}
	return nil
}
