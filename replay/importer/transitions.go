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
	states, actions, used *array // used is nil where no array says it
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
	for _, x := range w.openArrays() {
		if err := x.checkEnd(); err != nil {
			return Data{}, err
		}
	}
	return newData(schema.KindTransitions, w.records, w.steps, 0)
}

// open opens the arrays and checks their shapes against each other.
func (w *transitionReader) open(s Source) (err error) {
	if w.states, err = s.openVector("state"); err != nil {
		return err
	}
	if w.actions, err = s.openVector("action"); err != nil {
		return err
	}
	if s.archive.members[s.Prefix+"option"] != nil {
		if w.used, err = s.openVector("option"); err != nil {
			return err
		}
	}
	w.steps = w.actions.shape[0]
	switch {
	case w.states.shape[0] != w.steps+1:
		return schema.Hint(fmt.Errorf("%w: %d states around %d actions", ErrData, w.states.shape[0], w.steps),
			"n actions lead through n + 1 states: the first one, and one after each action")
	case w.used != nil && w.used.shape[0] != w.steps:
		return schema.Hint(fmt.Errorf("%w: %d options for %d actions", ErrData, w.used.shape[0], w.steps),
			"leave the array option out")
	case w.steps < 1:
		return schema.Hint(fmt.Errorf("%w: no actions", ErrData), "import at least one step")
	}
	return nil
}

// openVector opens an array of integers with one axis.
func (s Source) openVector(name string) (*array, error) {
	x, err := s.archive.open(s.Prefix + name)
	if err != nil {
		return nil, err
	}
	if len(x.shape) != 1 || x.kind == 'f' {
		x.member.Close()
		return nil, schema.Hint(fmt.Errorf("%s: %w: its shape is %v, its type %c%d", x.name, ErrArray, x.shape, x.kind,
			x.size), "give one axis of integers")
	}
	return x, nil
}

// openArrays returns the open arrays.
func (w *transitionReader) openArrays() []*array {
	var all []*array
	for _, x := range []*array{w.states, w.actions, w.used} {
		if x != nil {
			all = append(all, x)
		}
	}
	return all
}

func (w *transitionReader) close() {
	for _, x := range w.openArrays() {
		x.member.Close()
	}
}

// begin reads the state before the first step.
func (w *transitionReader) begin() error {
	first := make([]int64, 1)
	if err := w.states.readInts(first); err != nil {
		return err
	}
	if n := w.env.States(); first[0] < 0 || first[0] >= int64(n) {
		return schema.Hint(fmt.Errorf("%w: state[0] is %d", ErrData, first[0]),
			"its states are 0 to %d; check the environment's parameters", n-1)
	}
	w.state = int(first[0])
	w.beginChunk()
	return nil
}

func (w *transitionReader) beginChunk() {
	w.chunk = schema.Transitions{Start: uint64(w.state), Arity: len(w.env.Actions()), Actions: w.chunk.Actions[:0]}
}

// readSlice reads n steps of one chunk.
func (w *transitionReader) readSlice(n int) error {
	states, actions, used := make([]int64, n), make([]int64, n), make([]int64, n)
	if err := w.states.readInts(states); err != nil {
		return err
	}
	if err := w.actions.readInts(actions); err != nil {
		return err
	}
	if w.used != nil {
		if err := w.used.readInts(used); err != nil {
			return err
		}
	}
	for i := range n {
		if w.used != nil && used[i] != schema.Primitive {
			return schema.Hint(fmt.Errorf("%w: option[%d] is %d", ErrData, w.at, used[i]),
				"iteration 0 has no options; import steps of primitive actions, or leave the array option out to "+
					"take all as such")
		}
		if err := w.step(states[i], actions[i]); err != nil {
			return err
		}
	}
	if len(w.chunk.Actions) == schema.ChunkSteps || w.at == w.steps {
		return w.finishChunk()
	}
	return nil
}

// step adds one transition if it is one of the environment's.
func (w *transitionReader) step(next, action int64) error {
	if n := len(w.env.Actions()); action < 0 || action >= int64(n) {
		return schema.Hint(fmt.Errorf("%w: action[%d] is %d", ErrData, w.at, action), "its actions are 0 to %d: %v",
			n-1, w.env.Actions())
	}
	after := w.env.Step(w.state, int(action))
	if int64(after) != next {
		return schema.Hint(fmt.Errorf("%w: step %d: action %d leads from state %d to %d, and state[%d] is %d", ErrData,
			w.at, action, w.state, after, w.at+1, next),
			"check the environment's parameters; data without a model are imported as delta")
	}
	w.chunk.Actions = append(w.chunk.Actions, uint8(action))
	w.state, w.at = after, w.at+1
	return nil
}

// finishChunk packs the chunk as one collected by the agent would be.
func (w *transitionReader) finishChunk() error {
	w.chunk.Spans = []schema.Span{{Steps: uint32(len(w.chunk.Actions)), Option: schema.Primitive}}
	record, err := w.chunk.Encode()
	w.records = append(w.records, record)
	w.beginChunk()
	return err
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
