package importer

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// sliceSteps is how many steps are read between two checks of the context.
const sliceSteps = 1 << 16

// transitionReader reads the arrays of transitions in parallel and packs them.
type transitionReader struct {
	env                   envs.SteppableEnv
	states, actions, used *array // used is nil without the array option
	arrays                []*array
	steps, at             int64
	state                 int
	chunk                 schema.Transitions
	records               [][]byte
}

// ReadTransitions reads state and action, and checks each step against the environment.
func (s Source) ReadTransitions(ctx context.Context, env envs.SteppableEnv) (Data, error) {
	w := &transitionReader{env: env}
	defer w.close()
	if err := w.open(s); err != nil {
		return Data{}, err
	}
	if err := w.begin(); err != nil {
		return Data{}, err
	}
	for w.at < w.steps {
		if err := ctx.Err(); err != nil {
			return Data{}, err
		}
		room := schema.ChunkSteps - int64(len(w.chunk.Actions))
		if err := w.readSlice(int(min(sliceSteps, room, w.steps-w.at))); err != nil {
			return Data{}, err
		}
	}
	for _, x := range w.arrays {
		if err := x.checkEnd(); err != nil {
			return Data{}, err
		}
	}
	return newData(schema.KindTransitions, w.records, w.steps, 0)
}

// open opens the arrays and checks their shapes against each other.
func (t *transitionReader) open(s Source) (err error) {
	if t.states, err = t.openVector(s, "state"); err != nil {
		return err
	}
	if t.actions, err = t.openVector(s, "action"); err != nil {
		return err
	}
	if s.archive.members[s.Prefix+"option"] != nil {
		if t.used, err = t.openVector(s, "option"); err != nil {
			return err
		}
	}
	t.steps = t.actions.shape[0]
	switch {
	case t.states.shape[0] != t.steps+1:
		return schema.Hint(fmt.Errorf("%w: %d states for %d actions", ErrData, t.states.shape[0], t.steps),
			"n actions lead through n + 1 states: the first one, and one after each action")
	case t.used != nil && t.used.shape[0] != t.steps:
		return schema.Hint(fmt.Errorf("%w: %d options for %d actions", ErrData, t.used.shape[0], t.steps),
			"leave the array option out")
	case t.steps < 1:
		return schema.Hint(fmt.Errorf("%w: no actions", ErrData), "import at least one step")
	}
	return nil
}

// openVector opens an array of integers with one axis.
func (t *transitionReader) openVector(s Source, name string) (*array, error) {
	x, err := s.archive.open(s.Prefix + name)
	if err != nil {
		return nil, err
	}
	if t.arrays = append(t.arrays, x); len(x.shape) != 1 || x.kind == 'f' {
		return nil, schema.Hint(fmt.Errorf("%s: %w: its shape is %v, its type %c%d", x.name, ErrArray, x.shape, x.kind,
			x.size), "give one axis of integers")
	}
	return x, nil
}

func (t *transitionReader) close() {
	for _, x := range t.arrays {
		x.member.Close()
	}
}

// begin reads the state before the first step.
func (t *transitionReader) begin() error {
	first := make([]int64, 1)
	if err := t.states.readInts(first); err != nil {
		return err
	}
	if n := t.env.States(); first[0] < 0 || first[0] >= int64(n) {
		return schema.Hint(fmt.Errorf("%w: state[0] is %d", ErrData, first[0]),
			"its states are 0 to %d; check the environment's parameters", n-1)
	}
	t.state = int(first[0])
	t.beginChunk()
	return nil
}

func (t *transitionReader) beginChunk() {
	t.chunk = schema.Transitions{Start: uint64(t.state), Arity: len(t.env.Actions()), Actions: t.chunk.Actions[:0]}
}

// readSlice reads n steps of one chunk.
func (t *transitionReader) readSlice(n int) error {
	states, actions, used := make([]int64, n), make([]int64, n), make([]int64, n)
	if err := t.states.readInts(states); err != nil {
		return err
	}
	if err := t.actions.readInts(actions); err != nil {
		return err
	}
	if t.used != nil {
		if err := t.used.readInts(used); err != nil {
			return err
		}
	}
	for i := range n {
		if t.used != nil && used[i] != schema.Primitive {
			return schema.Hint(fmt.Errorf("%w: option[%d] is %d", ErrData, t.at, used[i]),
				"iteration 0 has no options; import steps of primitive actions, or leave the array option out to "+
					"take all as such")
		}
		if err := t.step(states[i], actions[i]); err != nil {
			return err
		}
	}
	if len(t.chunk.Actions) < schema.ChunkSteps && t.at < t.steps {
		return nil
	}
	// the chunk is as if the agent had collected it
	t.chunk.Spans = []schema.Span{{Steps: uint32(len(t.chunk.Actions)), Option: schema.Primitive}}
	record, err := t.chunk.Encode()
	t.records = append(t.records, record)
	t.beginChunk()
	return err
}

// step adds one transition if it is one of the environment's.
func (t *transitionReader) step(next, action int64) error {
	if n := len(t.env.Actions()); action < 0 || action >= int64(n) {
		return schema.Hint(fmt.Errorf("%w: action[%d] is %d", ErrData, t.at, action), "its actions are 0 to %d: %v",
			n-1, t.env.Actions())
	}
	after := t.env.Step(t.state, int(action))
	if int64(after) != next {
		return schema.Hint(fmt.Errorf("%w: step %d: action %d leads from state %d to %d, and state[%d] is %d", ErrData,
			t.at, action, t.state, after, t.at+1, next),
			"check the environment's parameters; data without a model are imported as delta")
	}
	t.chunk.Actions = append(t.chunk.Actions, uint8(action))
	t.state, t.at = after, t.at+1
	return nil
}

// Data holds the imported records of iteration 0.
type Data struct {
	Records [][]byte
	Digest  schema.Digest // for the spec
	Steps   int64         // transitions, or rows of D
	Dims    int           // features of a plain D, 0 for transitions
}

// newData computes the digest of records of one kind.
func newData(kind schema.Kind, records [][]byte, steps int64, dims int) (Data, error) {
	entries := make([]schema.Entry, len(records))
	for i, record := range records {
		entries[i] = schema.Entry{Kind: kind, Name: schema.Name(record)}
	}
	digest, err := schema.DataDigest(entries)
	return Data{Records: records, Digest: digest, Steps: steps, Dims: dims}, err
}
