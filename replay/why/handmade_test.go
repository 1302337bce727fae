package why

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// encoder is a record.
type encoder interface{ Encode() ([]byte, error) }

// handmade records a run with made-up steps, one iteration at a time, in chunks of any length. All that follows from
// the steps is computed.
func handmade(t failer, path string, spec schema.Spec, walks [][]schema.Transitions) *recorded.Records {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(path, tracker.Options{})
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	rw, held, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: len(walks)})
	ok(t, err)
	env, err := envs.NewEnv(spec.Env)
	ok(t, err)
	h := hand{spec: spec, env: env.(envs.SimulatedEnv)}
	link := held.Run.ID
	for k, chunks := range walks {
		entries := []schema.Entry{}
		h.iteration(t, chunks, func(kind schema.Kind, e encoder) {
			data, err := e.Encode()
			ok(t, err)
			name, err := rw.Put(data)
			ok(t, err)
			entries = append(entries, schema.Entry{Kind: kind, Name: name})
		})
		link, err = schema.Link(k, link, entries)
		ok(t, err)
		ok(t, rw.SealIteration(k, schema.Iteration{Link: link, Records: entries}, tracker.Cost{}))
	}
	ok(t, w.Close(ctx))
	return opened(t, store)
}

// hand is what one iteration hands on to the next.
type hand struct {
	spec    schema.Spec
	env     envs.SimulatedEnv
	options []*schema.Option
	data    linalg.Dataset
}

func (h *hand) iteration(t failer, chunks []schema.Transitions, put func(schema.Kind, encoder)) {
	tally := collect.NewTransitionStats(h.env, collect.OptionSet{Options: h.options}, int(chunks[0].Start))
	for _, c := range chunks {
		ok(t, tally.Add(&c))
		put(schema.KindTransitions, c)
	}
	data := tally.Dataset()
	if h.spec.Dataset == schema.Cumulative && h.data.Dims > 0 {
		data = h.data.Merge(data)
	}
	h.data = data
	f, err := linalg.Factor(context.Background(), pod.FactoringOf(h.env, h.spec), data)
	ok(t, err)
	put(schema.KindFactors, f)
	learner := learn.NewModelLearner(h.env, h.spec)
	for _, p := range selection.NewDirections(h.spec, 0, f).WithVectors(selection.SignedAbove(h.spec, f)) {
		o, v, err := learner.Learn(context.Background(), p)
		ok(t, err)
		put(schema.KindValue, v.(schema.Value))
		put(schema.KindOption, o)
		h.options = append(h.options, o)
	}
}

// pen writes the steps of an iteration on a ring, call by call.
type pen struct {
	bits   int
	state  int
	chunks []schema.Transitions
}

// act returns a call of an option, or some primitive actions: − goes left, + right.
func (p *pen) act(option int, moves string) *pen {
	if len(p.chunks) == 0 {
		p.cut()
	}
	c := &p.chunks[len(p.chunks)-1]
	for _, move := range moves {
		a := map[rune]uint8{'-': 0, '+': 1}[move]
		c.Actions = append(c.Actions, a)
		p.state = (p.state + 2*int(a) - 1) & (1<<p.bits - 1)
	}
	last := len(c.Spans) - 1
	if option == schema.Primitive && last >= 0 && c.Spans[last].Option == schema.Primitive {
		c.Spans[last].Steps += uint32(len(moves))
	} else {
		c.Spans = append(c.Spans, schema.Span{Option: int32(option), Steps: uint32(len(moves))})
	}
	return p
}

// cut begins another chunk, in which a call can go on.
func (p *pen) cut() *pen {
	p.chunks = append(p.chunks, schema.Transitions{Start: uint64(p.state), Arity: 2})
	return p
}
