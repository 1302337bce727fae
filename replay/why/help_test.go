package why

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// failer is a test, or one case of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func ok(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// small is a spec of which an iteration takes about a millisecond.
func small(bits, hide int64) schema.Spec {
	s := pod.Paper()
	s.Env.Params["bits"], s.Env.Params["hide"], s.Steps = bits, hide, 300
	return s
}

// specs are both bases on both datasets, with and without hidden bits.
func specs() map[string]schema.Spec {
	all := map[string]schema.Spec{}
	for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
		for _, dataset := range []schema.Dataset{schema.PerIteration, schema.Cumulative} {
			for _, hide := range []int64{0, 2} {
				s := small(8, hide)
				s.Basis, s.Dataset = basis, dataset
				all[fmt.Sprintf("%s, %s, hide %d", basis, dataset, hide)] = s
			}
		}
	}
	return all
}

// performed runs a spec in a new store.
func performed(t testing.TB, spec schema.Spec, target int) *diff.Run {
	t.Helper()
	return performedIn(t, newStore(t), spec, target)
}

func newStore(t testing.TB) *tracker.Store {
	t.Helper()
	return tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
}

func performedIn(t testing.TB, store *tracker.Store, spec schema.Spec, target int) *diff.Run {
	t.Helper()
	ctx := context.Background()
	ok(t, store.Create(ctx))
	w := store.Writer(ctx)
	var out replay.Outcome
	replay.NewEngine(store, w, nil).Run(ctx, replay.Job{Spec: spec, Target: target}, func(o replay.Outcome) { out = o })
	ok(t, w.Close(ctx))
	ok(t, out.Err)
	return opened(t, store)
}

// opened is the newest run of a store.
func opened(t failer, store *tracker.Store) *diff.Run {
	t.Helper()
	run, err := diff.Open(context.Background(), store, "@1")
	ok(t, err)
	return run
}

// asked audits an option of a run.
func asked(t failer, run *diff.Run, k, j, sign, depth int) *Report {
	t.Helper()
	r, err := Explain(context.Background(), run, Question{Ref: report.Ref{K: k, J: j, Sign: sign}, Depth: depth})
	ok(t, err)
	if !r.Proved() {
		t.Fatal(fmt.Sprintf("the chain of %s does not hold: %+v", r.Option, r.Chain))
	}
	return r
}

// selected are the purposes of iteration k.
func selected(t failer, run *diff.Run, k int) []schema.Purpose {
	t.Helper()
	_, purposes, err := run.Selected(k)
	ok(t, err)
	return purposes
}

// encoder is a record.
type encoder interface{ Encode() ([]byte, error) }

// handmade records a run whose steps somebody made up, an iteration's a time in
// chunks of any length. All that follows from the steps is computed.
func handmade(t failer, path string, spec schema.Spec, walks [][]schema.Transitions) *diff.Run {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(path, tracker.Options{})
	ok(t, store.Create(ctx))
	w := store.Writer(ctx)
	rw, held, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: len(walks)})
	ok(t, err)
	env, err := pod.NewEnv(spec.Env)
	ok(t, err)
	h := hand{spec: spec, env: env}
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
		ok(t, rw.Iteration(k, schema.Iteration{Link: link, Records: entries}, tracker.Cost{}))
	}
	ok(t, w.Close(ctx))
	return opened(t, store)
}

// hand is what one iteration hands on to the next.
type hand struct {
	spec    schema.Spec
	env     pod.Env
	options []*schema.Option
	data    pod.Dataset
}

func (h *hand) iteration(t failer, chunks []schema.Transitions, put func(schema.Kind, encoder)) {
	tally := pod.NewTally(h.env, h.options, int(chunks[0].Start))
	for _, c := range chunks {
		ok(t, tally.Add(&c))
		put(schema.KindTransitions, c)
	}
	data := tally.Dataset()
	if h.spec.Dataset == schema.Cumulative && h.data.Dims > 0 {
		data = h.data.Join(data)
	}
	h.data = data
	f, err := pod.Factor(context.Background(), data)
	ok(t, err)
	put(schema.KindFactors, f)
	learner := pod.NewLearner(h.env, h.spec)
	for _, p := range pod.Select(f, h.spec.Basis, h.spec.Kappa) {
		o, v, err := learner.Learn(context.Background(), p)
		ok(t, err)
		put(schema.KindValue, v)
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

// act is a call of an option, or some primitive actions: − goes left, + right.
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
