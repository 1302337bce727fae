package groupcommit_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A madeRun is a run that the test makes in a store.
type madeRun struct {
	seed       uint64
	target     int
	keep       *tracker.Retention
	writer     *groupcommit.RunWriter // nil while no process works on it
	process    int
	iterations [][]string // records that they list
	pending    []string   // records of the next iteration
	saved      int        // of pending, that a checkpoint lists
}

// TestRunsWriteWhatTheyKeep makes runs of two processes that share records, are interrupted and continue, or are
// removed by a third, with commits at any moment. When all have ended, the store has what it would have if everything
// were written and what no run retains then dropped; but what several runs listed can be there, too.
func TestRunsWriteWhatTheyKeep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, _ := NewStore(t)
		stores := []*tracker.Store{s, SecondStore(s)}
		steps := []string{"put", "put", "put", "save", "end", "end", "flush", "flush", "stop", "restart", "remove"}
		var writers []*groupcommit.Writer
		for _, store := range stores {
			writers = append(writers, groupcommit.Start(t.Context(), store))
		}
		var runs []*madeRun
		listed := map[string]map[uint64]bool{} // seeds of the runs that put a record
		for seed := range uint64(rapid.IntRange(2, 3).Draw(rt, "runs")) {
			target := rapid.IntRange(1, 4).Draw(rt, "target")
			runs = append(runs, &madeRun{seed: seed, target: target, keep: drawRetention(rt)})
		}
		for range rapid.IntRange(30, 80).Draw(rt, "steps") {
			r := rapid.SampledFrom(runs).Draw(rt, "run")
			switch step := rapid.SampledFrom(steps).Draw(rt, "step"); {
			case step == "flush":
				OK(t, writers[r.process].Flush(t.Context()))
			case step == "restart":
				OK(t, writers[r.process].Close(t.Context()))
				writers[r.process] = groupcommit.Start(t.Context(), stores[r.process])
				for _, other := range runs {
					if other.process == r.process {
						other.stop()
					}
				}
			case step == "remove" && r.writer == nil && len(r.iterations) > 0 && len(runs) > 1:
				_, err := gc.Remove(t.Context(), s, []schema.Digest{RunID(t, r.seed)})
				OK(t, err)
				runs = slices.DeleteFunc(runs, func(other *madeRun) bool { return other == r })
			case r.writer == nil && len(r.iterations) == r.target: // it lacks what it needs to continue
			case r.writer == nil:
				r.target = max(r.target, len(r.iterations)+1)
				r.process = rapid.IntRange(0, 1).Draw(rt, "process")
				r.begin(t, writers[r.process])
			default:
				r.step(rt, t, step)
				for _, record := range r.pending {
					if listed[record] == nil {
						listed[record] = map[uint64]bool{}
					}
					listed[record][r.seed] = true
				}
				if r.writer == nil { // another process may continue it
					OK(t, writers[r.process].Flush(t.Context()))
				}
			}
		}
		for _, w := range writers {
			OK(t, w.Close(t.Context()))
		}
		got, want := indexOf(t, s), indexOf(t, keptThenPruned(t, runs))
		Equal(t, "records in the index", len(got), len(want))
		for record, seeds := range listed {
			name := schema.Name([]byte(record)).String()
			if got[name] != want[name] && (want[name] != "pruned" || len(seeds) == 1) {
				t.Errorf("%s, listed by %d runs, is %q in the index, want %q", record, len(seeds), got[name], want[name])
			}
		}
		Equal(t, "unused records", UnreferencedRecords(t, s), 0)
	})
}

func drawRetention(rt *rapid.T) *tracker.Retention {
	keep := &tracker.Retention{Kinds: []schema.Kind{}}
	for _, kind := range tracker.PrunableKinds {
		if rapid.Bool().Draw(rt, string(kind)) {
			keep.Kinds = append(keep.Kinds, kind)
		}
	}
	return keep
}

func (m *madeRun) begin(t *testing.T, w *groupcommit.Writer) {
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(m.seed), Target: m.target, Retention: m.keep})
	OK(t, err)
	m.writer = r
}

// stop forgets the work that is not sealed.
func (m *madeRun) stop() { m.writer, m.pending = nil, m.pending[:m.saved] }

func (m *madeRun) step(rt *rapid.T, t *testing.T, step string) {
	switch {
	case step == "put":
		for range rapid.IntRange(1, 3).Draw(rt, "records") {
			kind := rapid.SampledFrom(tracker.PrunableKinds).Draw(rt, "kind")
			record := fmt.Sprintf("%s %d", kind, rapid.IntRange(0, 1).Draw(rt, "record"))
			_, err := m.writer.Put([]byte(record))
			OK(t, err)
			m.pending = append(m.pending, record)
		}
	case step == "save":
		OK(t, m.writer.SealCheckpoint([]byte{1}, entriesOf(m.pending)))
		m.saved = len(m.pending)
	case step == "stop":
		m.writer.Release(nil)
		m.stop()
	default:
		m.sealIteration(t)
		if len(m.iterations) == m.target {
			m.writer.Release(nil)
			m.stop()
		}
	}
}

func (m *madeRun) sealIteration(t *testing.T) {
	k := len(m.iterations)
	OK(t, m.writer.SealIteration(k, schema.Iteration{Link: LinkOf(m.writer.ID(), k), Records: entriesOf(m.pending)},
		tracker.Cost{}))
	m.iterations, m.pending, m.saved = append(m.iterations, m.pending), nil, 0
}

// keptThenPruned makes the runs in another store, writes everything, and then drops what no run retains.
func keptThenPruned(t *testing.T, runs []*madeRun) *tracker.Store {
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	for _, r := range runs {
		again := &madeRun{seed: r.seed, target: r.target}
		again.begin(t, w)
		for _, records := range append(r.iterations, r.pending[:r.saved]) {
			for _, record := range records {
				_, err := again.writer.Put([]byte(record))
				OK(t, err)
			}
			if again.pending = records; len(again.iterations) < len(r.iterations) {
				again.sealIteration(t)
			} else if r.saved > 0 {
				OK(t, again.writer.SealCheckpoint([]byte{1}, entriesOf(records)))
			}
		}
	}
	OK(t, w.Close(t.Context()))
	for _, r := range runs {
		PruneTo(t, s, *r.keep, RunID(t, r.seed))
	}
	return s
}

// entriesOf lists records, whose text begins with their kind.
func entriesOf(records []string) (entries []schema.Entry) {
	for _, record := range records {
		var kind schema.Kind
		_, _ = fmt.Sscan(record, &kind)
		entries = append(entries, schema.Entry{Kind: kind, Name: schema.Name([]byte(record))})
	}
	return entries
}

// indexOf returns, of each record in a store's index, its text, or that it was pruned.
func indexOf(t *testing.T, s *tracker.Store) map[string]string {
	index := map[string]string{}
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for key := range tx.Rows().WithPrefix(rows.BucketDigests, nil) {
			name := schema.Digest(key)
			if index[name.String()] = "pruned"; !tx.Rows().IsPruned(name) {
				record, err := tx.ReadRecord(name)
				OK(t, err)
				index[name.String()] = string(record)
			}
		}
		return nil
	}))
	return index
}
