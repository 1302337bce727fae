package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// repairModel knows what a store had before it was damaged, and so recomputes it.
type repairModel struct {
	t    testing.TB
	s    *Store
	runs []uint64 // seeds of runs that exist; those of removed runs do not come back
	next uint64

	iterations map[schema.Digest][]schema.Iteration
	records    map[schema.Digest][]byte
	lost       map[schema.Digest]bool // records that cannot be recomputed
	fixed      map[schema.Digest]bool // runs with gaps that cannot be filled
}

func newRepairModel(t testing.TB, dir string) *repairModel {
	s := New(filepath.Join(dir, "podtrack.db"), Options{})
	s.now = newClock().Now
	ok(t, s.Create(t.Context()))
	m := &repairModel{t: t, s: s, next: 4, iterations: map[schema.Digest][]schema.Iteration{},
		records: map[schema.Digest][]byte{}, lost: map[schema.Digest]bool{}, fixed: map[schema.Digest]bool{}}
	for seed := range uint64(4) {
		m.runs = append(m.runs, seed)
		extend(t, s, seed, 2+int(seed))
		m.session(seed, 3, true)
	}
	ok(t, m.evaluate(runID(t, 1), 0, 3))
	ok(t, m.evaluate(runID(t, 2), 2, 3))
	ok(t, s.Update(t.Context(), func(tx *Tx) error { return tx.SetName(runID(t, 3), "three") }))
	compacted(t, s) // so that no page has an older state
	m.remember()
	return m
}

// remember notes what is in the store.
func (m *repairModel) remember() {
	ok(m.t, m.s.View(m.t.Context(), func(tx *Tx) error {
		for run, err := range tx.Runs() {
			ok(m.t, err)
			its, err := tx.ReadIterations(run.ID)
			ok(m.t, err)
			m.iterations[run.ID] = its
			c, err := tx.ReadCheckpoint(run.ID)
			ok(m.t, err)
			if c != nil {
				its = append(slices.Clone(its), schema.Iteration{Records: c.Records})
			}
			evaluations, err := tx.ReadEvaluations(run.ID)
			ok(m.t, err)
			for _, e := range evaluations {
				its = append(slices.Clone(its), schema.Iteration{Records: []schema.Entry{e.Entry()}})
			}
			for _, it := range its {
				for _, e := range it.Records {
					record, err := tx.ReadRecord(e.Name)
					ok(m.t, err)
					m.records[e.Name] = bytes.Clone(record)
				}
			}
		}
		return nil
	}))
}

// know notes an iteration that can be recomputed.
func (m *repairModel) know(id schema.Digest, k int, it schema.Iteration) {
	for len(m.iterations[id]) <= k {
		m.iterations[id] = append(m.iterations[id], schema.Iteration{})
	}
	m.iterations[id][k] = it
}

// session continues a run by some iterations, and leaves a checkpoint or not.
func (m *repairModel) session(seed uint64, more int, checkpoint bool) {
	w := m.s.StartWriter(context.Background())
	defer w.Close(context.Background())
	r, st, err := w.Acquire(context.Background(), Claim{Spec: spec(seed), Target: more + 2, Tags: []string{"all"}})
	if err != nil {
		return // damage keeps others from going on with it
	}
	link := st.Head
	if st.Done == 0 {
		link = st.Run.ID
	}
	for k := st.Done; k < st.Done+more; k++ {
		link = chain(m.t, r, k, link, schema.KindValue, artefacts(m.t, seed, k)...)
	}
	if checkpoint {
		record := encoded(m.t, schema.Value{float64(seed), float64(st.Done), 0.25})
		name, err := r.Put(record)
		ok(m.t, err)
		ok(m.t, r.SealCheckpoint([]byte{byte(st.Done)}, entries(name)))
	}
}

// evaluate gives an iteration an evaluation.
func (m *repairModel) evaluate(id schema.Digest, k, goal int) error {
	return m.s.Update(context.Background(), func(tx *Tx) error {
		it, err := tx.ReadIteration(id, k)
		if err != nil {
			return err
		}
		spec := schema.DefaultEvaluation(goal)
		spec.Episodes, spec.Seeds, spec.Against = 2, []uint64{0}, []string{}
		record := encoded(m.t, schema.Evaluation{Link: it.Link, Spec: spec, Options: 1, Steps: []uint32{5, uint32(goal)}})
		digest, err := schema.EvaluationDigest(it.Link, spec)
		ok(m.t, err)
		m.records[schema.Name(record)] = record
		return tx.PutEvaluation(Evaluation{Run: id, K: k, Digest: digest, Link: it.Link, Spec: spec,
			Record: schema.Name(record)}, record)
	})
}

// act does something as another process would. Damage may keep it from that.
func (m *repairModel) act(t *rapid.T) {
	seed := rapid.SampledFrom(m.runs).Draw(t, "run")
	id, ctx := runID(m.t, seed), context.Background()
	switch rapid.SampledFrom([]string{"continue", "new", "remove", "prune", "tag", "untag", "name", "restore", "merge",
		"compact", "evaluate", "plan", "spoil"}).Draw(t, "act") {
	case "continue":
		m.session(seed, rapid.IntRange(0, 2).Draw(t, "iterations"), rapid.Bool().Draw(t, "checkpoint"))
	case "new":
		m.runs = append(m.runs, m.next)
		m.next++
		m.session(m.next-1, rapid.IntRange(0, 3).Draw(t, "iterations"), rapid.Bool().Draw(t, "checkpoint"))
	case "remove":
		if _, err := Remove(ctx, m.s, []schema.Digest{id}); err == nil && len(m.runs) > 1 {
			m.runs = slices.DeleteFunc(m.runs, func(s uint64) bool { return s == seed })
		}
	case "prune":
		_, _ = Prune(ctx, m.s, PruneOptions{Runs: []schema.Digest{id}, Retention: &Retention{Last: 1}})
	case "tag":
		_ = m.s.Update(ctx, func(tx *Tx) error { return tx.AddTag(id, "tag") })
	case "untag":
		_ = m.s.Update(ctx, func(tx *Tx) error { return tx.RemoveTag(id, "all") })
	case "name":
		name := rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(t, "name")
		_ = m.s.Update(ctx, func(tx *Tx) error { return tx.SetName(id, name) })
	case "restore":
		names := slices.SortedFunc(maps.Keys(m.records), func(a, b schema.Digest) int { return bytes.Compare(a[:], b[:]) })
		record := m.records[rapid.SampledFrom(names).Draw(t, "record")]
		_ = m.s.Update(ctx, func(tx *Tx) error {
			if name := schema.Name(record); !tx.HasRecord(name) && !tx.IsPruned(name) {
				return nil
			}
			_, err := tx.RestoreRecord(record)
			return err
		})
	case "merge":
		other, _ := newTestStore(m.t)
		other.now = m.s.now
		extend(m.t, other, seed, 6)
		extend(m.t, other, m.next, 2)
		m.runs = append(m.runs, m.next)
		m.next++
		_ = MergeStores(ctx, other, m.s)
	case "compact":
		_, _ = m.s.Compact(ctx, nil)
	case "evaluate":
		_ = m.evaluate(id, 0, rapid.IntRange(3, 5).Draw(t, "goal"))
	case "spoil": // as a disk would
		k := rapid.IntRange(0, 4).Draw(t, "iteration")
		_ = m.s.Update(ctx, func(tx *Tx) error {
			row := bytes.Clone(tx.rows.Bucket(rows.BucketIterations).Get(rows.PartKey(id, k)))
			if row == nil || m.fixed[id] {
				return nil // the new store may have the row, and the other repair could not bring it back
			}
			it, err := rows.DecodeIteration(rows.PartKey(id, k), row)
			if err != nil || slices.ContainsFunc(it.Records, func(e schema.Entry) bool { return m.lost[e.Name] }) {
				return nil
			}
			evaluations, err := tx.ReadEvaluations(id)
			if err != nil || slices.ContainsFunc(evaluations, func(e Evaluation) bool { return m.lost[e.Record] }) {
				return nil
			}
			for _, e := range it.Records {
				record, err := tx.ReadRecord(e.Name)
				if err != nil {
					return nil // it could not be recomputed
				}
				m.records[e.Name] = bytes.Clone(record)
			}
			m.know(id, k, it)
			row[0] ^= 1
			return tx.rows.Bucket(rows.BucketIterations).Put(rows.PartKey(id, k), row)
		})
	case "plan":
		_ = m.s.Update(ctx, func(tx *Tx) error {
			_, err := tx.AddPlan(planOf(uint64(len(m.runs))), "all", Planned{})
			return err
		})
	}
}

// damage flips bits in some rows and records of the file.
func (m *repairModel) damage(t *rapid.T) {
	type place struct {
		bucket string
		bytes  []byte
		key    int
	}
	var places []place
	ok(m.t, m.s.View(m.t.Context(), func(tx *Tx) error {
		for _, bucket := range []string{rows.BucketIterations, rows.BucketRecords, rows.BucketCosts, rows.BucketAnnotations,
			rows.BucketNames,
			rows.BucketOrder, rows.BucketEvaluations, rows.BucketCheckpoints} {
			for key, row := range tx.rows.WithPrefix(bucket, nil) {
				places = append(places, place{bucket, slices.Concat(key, row), len(key)})
			}
		}
		return nil
	}))
	file := readFile(m.t, m.s.path)
	for range rapid.IntRange(1, 4).Draw(t, "damages") {
		p := places[rapid.IntRange(0, len(places)-1).Draw(t, "row")]
		at := bytes.Index(file, p.bytes)
		if at < 0 {
			continue // it is damaged already
		}
		at += p.key + rapid.IntRange(0, len(p.bytes)-p.key-1).Draw(t, "byte")
		file[at] ^= 0x11
		t.Logf("damaged %s %x", p.bucket, p.bytes[:p.key])
	}
	ok(m.t, os.WriteFile(m.s.path, file, 0o600))
}

// recompute adds what a repaired store lacks, as far as it can be recomputed.
func (m *repairModel) recompute(r *Repair) error {
	return r.NewStore.Update(context.Background(), func(tx *Tx) error {
		for _, g := range r.TakeGaps() {
			if known := m.iterations[g.Run]; m.fixed[g.Run] || !knows(known, g) {
				if err := tx.RestoreIterations(g); err != nil {
					return err
				}
				continue
			}
			for k := g.K; k < g.Made; k++ {
				it, there := g.rows[k]
				if !there {
					it = m.iterations[g.Run][k]
				}
				ok(m.t, tx.rows.PutIteration(g.Run, k, it))
				ok(m.t, rows.Write(tx.rows, rows.BucketCosts, rows.PartKey(g.Run, k), Cost{Stages: map[string]int64{}}))
			}
		}
		for name := range namedRecords(m.t, tx, nil) {
			if record, known := m.records[name]; known && !m.lost[name] && !tx.HasRecord(name) && !tx.IsPruned(name) {
				if _, err := tx.RestoreRecord(record); err != nil {
					return err
				}
			}
		}
		r.Report.Rows = slices.DeleteFunc(r.Report.Rows, func(l LostRow) bool {
			if l.Evaluation == nil || m.lost[l.Evaluation.Record] || m.records[l.Evaluation.Record] == nil {
				return false
			}
			return tx.PutEvaluation(*l.Evaluation, m.records[l.Evaluation.Record]) == nil
		})
		return nil
	})
}

// knows reports whether all missing iterations of a gap are known.
func knows(known []schema.Iteration, g Gap) bool {
	for k := g.K; k < g.Made; k++ {
		if _, there := g.rows[k]; !there && (k >= len(known) || known[k].Records == nil) {
			return false
		}
	}
	return true
}

// namedRecords returns the records that rows name, and what there is of each. It ignores the
// checkpoints of some runs.
func namedRecords(t testing.TB, tx *Tx, ignored map[schema.Digest]bool) map[schema.Digest]string {
	named := map[schema.Digest]string{}
	for _, bucket := range []string{rows.BucketIterations, rows.BucketCheckpoints, rows.BucketEvaluations} {
		for key, row := range tx.rows.WithPrefix(bucket, nil) {
			if bucket == rows.BucketCheckpoints && ignored[schema.Digest(key)] {
				continue
			}
			list, err := referencedRecords(bucket, key, row)
			ok(t, err)
			for _, e := range list {
				record, err := tx.ReadRecord(e.Name)
				named[e.Name] = fmt.Sprintf("%x, pruned %t", record, tx.IsPruned(e.Name))
				if err == nil {
					named[e.Name] = "there"
				}
			}
		}
	}
	return named
}

// logicalContent returns all rows and named records of a repaired store. Of runs that had gaps, costs and
// checkpoints depend on how far the run was when it was repaired.
func logicalContent(t testing.TB, s *Store, gaps map[schema.Digest]bool) map[string]string {
	all := map[string]string{}
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		for _, bucket := range append([]string{rows.BucketOrder, rows.BucketNames, rows.BucketPodtrack}, rows.RunBuckets...) {
			for key, row := range tx.rows.WithPrefix(bucket, nil) {
				ofGap := len(key) >= 32 && gaps[schema.Digest(key[:min(32, len(key))])]
				if ofGap && (bucket == rows.BucketCosts || bucket == rows.BucketCheckpoints) || string(key) == "format" {
					continue
				}
				if bucket == rows.BucketAnnotations && ofGap {
					a, err := tx.ReadAnnotation(schema.Digest(key))
					ok(t, err)
					row = []byte(a.Name + a.Note) // if it was lost, its target is the gap
				}
				all[fmt.Sprintf("%s %x", bucket, key)] = fmt.Sprintf("%x", row)
			}
		}
		for name, state := range namedRecords(t, tx, gaps) {
			all["record "+name.String()] = state
		}
		return nil
	}))
	return all
}

// TestRepairFollowsCommits: whatever others do to a damaged store while it is repaired, the new store
// is what a repair would make of it if it began when they are done.
func TestRepairFollowsCommits(t *testing.T) {
	t.Parallel()
	skipUnlessReplaceable(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > testenv.Size(10, 75) {
			return // each syncs dozens of commits
		}
		here := filepath.Join(dir, fmt.Sprint(n))
		ok(t, os.Mkdir(here, 0o700))
		m := newRepairModel(t, here)
		m.damage(rt)
		lost := rapid.ByteRange(0, 7).Draw(rt, "lost")
		for name := range m.records {
			m.lost[name] = name[0]%8 == lost
		}
		m.fixed[runID(t, rapid.Uint64Range(0, 4).Draw(rt, "fixed"))] = true
		actSome := func(what string) {
			for range rapid.IntRange(0, 4).Draw(rt, what) {
				m.act(rt)
			}
		}
		actSome("before")
		r, err := m.s.BeginRepair(t.Context())
		must(rt, err)
		defer r.Close()
		same(rt, "locked", r.snapshot == nil, false)
		actSome("while it recomputes")
		must(rt, m.recompute(r))
		actSome("when it has recomputed")
		must(rt, r.follow(t.Context(), func([]schema.Digest) error {
			actSome("while it recomputes more")
			return m.recompute(r)
		}))
		actSome("at last")
		final := New(filepath.Join(here, "final.db"), Options{})
		final.now = m.s.now
		ok(t, os.WriteFile(final.path, readFile(t, m.s.path), 0o600))
		old, err := r.replaceFollowed(t.Context())
		if errors.Is(err, ErrReplaced) { // by a compaction
			r.snapshot.copy.restart()
			old, err = r.followAndReplace(t.Context(), func([]schema.Digest) error { return m.recompute(r) })
		}
		must(rt, err)
		same(rt, "the damaged file is complete", bytes.Equal(readFile(t, old), readFile(t, final.path)), true)

		quiet, err := final.BeginRepair(t.Context())
		must(rt, err)
		defer quiet.Close()
		must(rt, m.recompute(quiet))
		gaps := map[schema.Digest]bool{}
		for _, g := range slices.Concat(quiet.Report.Gaps, r.Report.Gaps) {
			gaps[g.Run] = true
		}
		_, err = quiet.Replace(t.Context(), nil)
		must(rt, err)
		if diff := cmp.Diff(logicalContent(t, final, gaps), logicalContent(t, m.s, gaps)); diff != "" {
			rt.Fatalf("− repaired at the end, + repaired meanwhile:\n%s", diff)
		}
	})
}
