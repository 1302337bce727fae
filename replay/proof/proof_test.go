package proof

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/excerpt"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

var ok = schematest.Must

func newStore(t testing.TB) *tracker.Store {
	t.Helper()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(context.Background()))
	return store
}

// small returns a spec of which an iteration takes about a millisecond, changed.
func small(change func(*schema.Spec)) schema.Spec {
	s := pod.PaperSpec()
	s.Env.Params["bits"], s.Steps = 7, 300
	if change != nil {
		change(&s)
	}
	return s
}

// specs has every method, and every learner and selection that leaves other records.
func specs(t testing.TB) map[string]schema.Spec {
	grid, err := envs.DefaultEnv("grid")
	ok(t, err)
	onGrid := func(m schema.Method) func(*schema.Spec) {
		return func(s *schema.Spec) { s.Env, s.Method, s.Gamma, s.Select = grid, m, 0.9, "top=3" }
	}
	return map[string]schema.Spec{
		"pod": small(nil),
		"published": small(func(s *schema.Spec) {
			s.Basis, s.Dataset, s.Env.Params["hide"] = schema.RowsOfV, schema.Cumulative, 2
		}),
		"novel":      small(func(s *schema.Spec) { s.Select = "novel=0.9" }),
		"sample":     small(func(s *schema.Spec) { s.Select = "sample=2" }),
		"exact":      small(func(s *schema.Spec) { s.Learner, s.Sweeps = schema.Exact, 0 }),
		"empirical":  small(func(s *schema.Spec) { s.Learner, s.MaxOptionSteps = schema.Empirical, 50 }),
		"lspi":       small(func(s *schema.Spec) { s.Learner, s.MaxOptionSteps, s.Sweeps = schema.LSPI, 50, 10 }),
		"q-learning": small(func(s *schema.Spec) { s.Learner, s.MaxOptionSteps, s.Sweeps = schema.QLearning, 50, 10 }),
		"gathering": small(func(s *schema.Spec) {
			s.Learner, s.MaxOptionSteps, s.Dataset = schema.Empirical, 50, schema.Cumulative
		}),
		"laplacian": small(onGrid(schema.Laplacian)),
		"successor": small(onGrid(schema.Successor)),
		"successor, visited": small(func(s *schema.Spec) {
			onGrid(schema.Successor)(s)
			s.StateSet, s.PsiGamma, s.Dataset = schema.VisitedStates, 0.5, schema.Cumulative
		}),
		"successor-features": small(func(s *schema.Spec) { s.Method = schema.SuccessorFeatures }),
		"covering": small(func(s *schema.Spec) {
			onGrid(schema.Covering)(s)
			s.StateSet, s.Select, s.Dataset = schema.VisitedStates, "top=1", schema.Cumulative
		}),
		"counts": small(onGrid(schema.Counts)),
	}
}

// perform runs a spec in a store.
func perform(t testing.TB, store *tracker.Store, spec schema.Spec, target int) *recorded.Records {
	t.Helper()
	ctx := context.Background()
	w := groupcommit.Start(ctx, store)
	var out replay.Outcome
	replay.NewEngine(store, w, replay.Options{}).Run(ctx, replay.Job{Spec: spec, Target: target},
		func(o replay.Outcome) { out = o })
	ok(t, w.Close(ctx))
	ok(t, out.Err)
	run, err := report.Open(ctx, store, out.Run.String())
	ok(t, err)
	return run
}

// purposes returns the options of a run.
func purposes(t testing.TB, run *recorded.Records) (refs []report.Ref) {
	t.Helper()
	for k := range run.Iterations {
		_, selected, err := run.Selection(k)
		ok(t, err)
		for _, p := range selected {
			refs = append(refs, report.Ref{Run: run.ID.String(), K: k, J: p.J, Sign: p.Sign})
		}
	}
	return refs
}

func written(t testing.TB, store *tracker.Store, ref report.Ref) []byte {
	t.Helper()
	var out bytes.Buffer
	ok(t, Write(context.Background(), &out, store, ref, "a program"))
	return out.Bytes()
}

// TestProgramLimit: a document whose program has a name at the limit is read, and one of a byte more is not.
func TestProgramLimit(t *testing.T) {
	ctx := context.Background()
	store := newStore(t)
	ref := purposes(t, perform(t, store, small(nil), 1))[0]
	for length, says := range map[int]string{maxProgram: "", maxProgram + 1: "its program has 201 bytes, more than 200"} {
		var out bytes.Buffer
		ok(t, Write(ctx, &out, store, ref, strings.Repeat("a", length)))
		e, err := Open(ctx, &out, newStore(t))
		switch {
		case says == "" && (err != nil || len(e.Program) != length):
			t.Errorf("%d bytes: %v", length, err)
		case says != "" && (!errors.Is(err, tracker.ErrDamaged) || !strings.Contains(err.Error(), says)):
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

// TestIterationLimit: a document names an option of an iteration that the run has, and is damaged otherwise.
func TestIterationLimit(t *testing.T) {
	ctx := context.Background()
	store := newStore(t)
	run := perform(t, store, small(nil), 2)
	keepAll := func(int, int, schema.Entry) bool { return true }
	for k, has := range map[int]bool{0: true, 1: true, -1: false, 2: false} {
		text, err := wire.Marshal(note{k, 1, 1, "a program"})
		ok(t, err)
		var out bytes.Buffer
		ok(t, excerpt.Write(ctx, &out, store, run.ID, text, keepAll))
		if _, err := Open(ctx, &out, newStore(t)); (err == nil) != has || !has && !errors.Is(err, tracker.ErrDamaged) {
			t.Errorf("an option of iteration %d of 2: %v", k, err)
		}
	}
}

// TestSameAudit: an audit of the evidence, in its own store, finds what an audit of the run finds
// where it was made, whatever the method, the learner and the rule, and its chain holds.
func TestSameAudit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, spec := range specs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok(t, spec.Validate())
			store := newStore(t)
			run := perform(t, store, spec, 3)
			refs := purposes(t, run)
			if len(refs) == 0 {
				t.Fatal("the run has no options")
			}
			for _, ref := range []report.Ref{refs[0], refs[len(refs)-1]} {
				want, err := why.Explain(ctx, run, why.Question{Ref: ref})
				ok(t, err)
				e, err := Open(ctx, bytes.NewReader(written(t, store, ref)), newStore(t))
				ok(t, err)
				got, err := why.Explain(ctx, e.Opened, why.Question{Ref: e.Ref})
				ok(t, err)
				if !got.Verified() {
					t.Errorf("the chain does not hold: %+v", got.Chain)
				}
				if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(why.StepRef{}, why.Source{})); d != "" {
					t.Errorf("%s:\n%s", want.Option, d)
				}
				if head := run.Iterations[2].Link; e.Head() != head || e.Program != "a program" || e.Ref != ref {
					t.Errorf("head %s, program %q, option %+v", e.Head(), e.Program, e.Ref)
				}
			}
		})
	}
}

// TestDeterministic: what proves an option has the same bytes from any store that has the run, and
// nothing that is not of the run's spec.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	a, b := newStore(t), newStore(t)
	run := perform(t, a, small(nil), 3)
	perform(t, b, small(func(s *schema.Spec) { s.Seed = 5 }), 1)
	perform(t, b, small(nil), 3)
	ok(t, b.Update(context.Background(), func(tx *tracker.Tx) error {
		return errors.Join(tx.SetNote(run.ID, "private"), tx.AddTag(run.ID, "private"))
	}))
	for _, ref := range purposes(t, run) {
		if !bytes.Equal(written(t, a, ref), written(t, b, ref)) {
			t.Errorf("%+v: other bytes", ref)
		}
	}
}

// TestPruned: evidence that was pruned cannot be written, and the error says which command helps.
func TestPruned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := newStore(t)
	ref := purposes(t, perform(t, store, small(nil), 2))[0]
	ok(t, store.Update(ctx, func(tx *tracker.Tx) error {
		run, err := tx.Resolve(ref.Run)
		ok(t, err)
		it, err := tx.ReadIteration(run.ID, 0)
		ok(t, err)
		_, err = tx.Rows().PutTombstone(it.RecordsOf(schema.KindTransitions)[0])
		return err
	}))
	err := Write(ctx, &bytes.Buffer{}, store, ref, "a program")
	if !errors.Is(err, tracker.ErrPruned) || schema.Remedy(err) == "" {
		t.Errorf("%v (%s)", err, schema.Remedy(err))
	}
}

// forgery changes one record of iteration 1 of a run.
type forgery struct {
	kind   schema.Kind
	change func(t testing.TB, record []byte) []byte
}

func edit[T interface{ Encode() ([]byte, error) }](
	decode func([]byte) (T, error), change func(*T),
) func(testing.TB, []byte) []byte {
	return func(t testing.TB, record []byte) []byte {
		v, err := decode(record)
		ok(t, err)
		change(&v)
		forged, err := v.Encode()
		ok(t, err)
		return forged
	}
}

// forgeries are other numbers under right digests.
var forgeries = map[string]forgery{
	"σ": {schema.KindFactors, edit(schema.DecodeFactors, func(f *schema.Factors) {
		f.Sigma[0] = math.Nextafter(f.Sigma[0], math.Inf(1))
	})},
	"V":      {schema.KindFactors, edit(schema.DecodeFactors, func(f *schema.Factors) { f.V[1] += 1e-12 })},
	"counts": {schema.KindFactors, edit(schema.DecodeFactors, func(f *schema.Factors) { f.Counts[0]++; f.Counts[1]-- })},
	"steps":  {schema.KindTransitions, edit(schema.DecodeTransitions, func(x *schema.Transitions) { x.Actions[7] ^= 1 })},
	"policy": {schema.KindOption, edit(schema.DecodeOption, func(o *schema.Option) { o.Policy[0] ^= 1 })},
	"purpose": {schema.KindOption, edit(schema.DecodeOption, func(o *schema.Option) {
		o.Purpose.Vector[0] = -o.Purpose.Vector[0]
	})},
	"value": {schema.KindValue, edit(schema.DecodeValue, func(v *schema.Value) { (*v)[3] += 1 })},
}

// TestForged: where a record has other numbers, and all digests and links follow from it, the audit
// of the evidence finds that what is behind the option does not follow from the data.
func TestForged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	spec := small(nil)
	store := newStore(t)
	run := perform(t, store, spec, 2)
	for name, f := range forgeries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forged := forge(t, store, run, f)
			ref := report.Ref{Run: run.ID.String(), K: 1, J: 1, Sign: 1}
			var out bytes.Buffer
			ok(t, Write(ctx, &out, forged, ref, "a program"))
			e, err := Open(ctx, &out, newStore(t))
			ok(t, err)
			if e.Head() == run.Iterations[1].Link {
				t.Error("the head is that of the run")
			}
			if r, err := why.Explain(ctx, e.Opened, why.Question{Ref: e.Ref}); err == nil && r.Verified() {
				t.Error("the chain holds")
			} else if err != nil && !errors.Is(err, tracker.ErrDamaged) {
				t.Error(err)
			}
		})
	}
}

// forge returns a store with a run of the same spec in which the first record of a kind of
// iteration 1 is another one.
func forge(t testing.TB, from *tracker.Store, run *recorded.Records, f forgery) *tracker.Store {
	t.Helper()
	ctx := context.Background()
	to := newStore(t)
	w := groupcommit.Start(ctx, to)
	rw, held, err := w.Acquire(ctx, tracker.Claim{Spec: run.Spec, Target: len(run.Iterations)})
	ok(t, err)
	link, forged := held.Run.ID, false
	for k, it := range run.Iterations {
		entries := slices.Clone(it.Records)
		for i, e := range entries {
			var record []byte
			ok(t, from.View(ctx, func(tx *tracker.Tx) (err error) {
				record, err = tx.ReadRecord(e.Name)
				return err
			}))
			if k == 1 && e.Kind == f.kind && !forged {
				record, forged = f.change(t, record), true
			}
			entries[i].Name, err = rw.Put(record)
			ok(t, err)
			if e.Name != entries[i].Name && !forged {
				t.Fatal("another record")
			}
		}
		link, err = schema.Link(k, link, entries)
		ok(t, err)
		ok(t, rw.SealIteration(k, schema.Iteration{Link: link, Records: entries}, tracker.Cost{}))
	}
	ok(t, w.Close(ctx))
	return to
}

// TestDamagedStream: a stream with changed, missing or more bytes is refused, or says the same: some
// bits of compressed data mean nothing.
func TestDamagedStream(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := newStore(t)
	run := perform(t, store, small(nil), 2)
	ref := purposes(t, run)[1]
	stream := written(t, store, ref)
	whole, err := Open(ctx, bytes.NewReader(stream), newStore(t))
	ok(t, err)
	rapid.Check(t, func(r *rapid.T) {
		damaged := bytes.Clone(stream)
		at := rapid.IntRange(0, len(stream)-1).Draw(r, "at")
		switch rapid.IntRange(0, 2).Draw(r, "how") {
		case 0:
			damaged[at] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		case 1:
			damaged = damaged[:at]
		default:
			damaged = append(damaged, byte(at))
		}
		e, err := Open(ctx, bytes.NewReader(damaged), newStore(t))
		if err != nil {
			return
		}
		if e.Head() != whole.Head() || e.Ref != whole.Ref || e.Contents.Records != whole.Contents.Records {
			r.Fatalf("head %s, option %+v, %d records", e.Head(), e.Ref, e.Contents.Records)
		}
	})
}

// TestOtherNumerics: a run of numerics that this program does not compute cannot be verified here.
func TestOtherNumerics(t *testing.T) {
	spec := small(nil)
	spec.Numerics = schema.NumericsVersion + 1
	if err := validate(tracker.Run{Spec: spec}); !errors.Is(err, replay.ErrUnverifiable) {
		t.Error(err)
	}
}
