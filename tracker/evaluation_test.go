package tracker

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// evaluation returns a valid evaluation of a link.
func evaluation(link schema.Digest, goal int) schema.Evaluation {
	spec := schema.DefaultEvaluation(goal)
	spec.Episodes, spec.Seeds, spec.Against = 2, []uint64{0}, []string{}
	return schema.Evaluation{Link: link, Spec: spec, Options: 1, Steps: []uint32{5, uint32(goal)}}
}

// addEvaluation gives iteration k of a run an evaluation.
func addEvaluation(t testing.TB, s *Store, run schema.Digest, k, goal int) Evaluation {
	t.Helper()
	var at Evaluation
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		it, err := tx.ReadIteration(run, k)
		ok(t, err)
		e := evaluation(it.Link, goal)
		record := encoded(t, e)
		digest, err := schema.EvaluationDigest(it.Link, e.Spec)
		ok(t, err)
		at = Evaluation{Run: run, K: k, Digest: digest, Link: it.Link, Spec: e.Spec, Record: schema.Name(record)}
		return tx.PutEvaluation(at, record)
	}))
	return at
}

// evaluationsOf returns a run's evaluations, and fails if one of their records cannot be read.
func evaluationsOf(t testing.TB, s *Store, run schema.Digest) (all []Evaluation) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) (err error) {
		all, err = tx.ReadEvaluations(run)
		for _, e := range all {
			if _, err := Load(tx, e.Record, schema.DecodeEvaluation); err != nil {
				return err
			}
		}
		return err
	}))
	return all
}

func sound(t testing.TB, s *Store) {
	t.Helper()
	if found := checkStore(t, s, selectAll); !found.Intact() || found.Unused > 0 {
		t.Fatalf("%q, %d unused", formatDamages(found), found.Unused)
	}
}

func formatOf(t testing.TB, s *Store) (format uint64) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) error { format = tx.format; return nil }))
	return format
}

// TestEvaluationsHangOffIterations: evaluations can be found, survive pruning and compaction, and
// are removed with their run.
func TestEvaluationsHangOffIterations(t *testing.T) {
	s, _ := newTestStore(t)
	run, other := extend(t, s, 1, 2), extend(t, s, 2, 1)
	equal(t, "format before", formatOf(t, s), formatWhole)
	equal(t, "evaluations before", len(evaluationsOf(t, s, run)), 0)
	first, second := addEvaluation(t, s, run, 0, 3), addEvaluation(t, s, run, 1, 3)
	addEvaluation(t, s, run, 1, 4)
	addEvaluation(t, s, other, 0, 3)
	equal(t, "the same again", reflect.DeepEqual(addEvaluation(t, s, run, 0, 3), first), true)
	equal(t, "format", formatOf(t, s), formatEvaluations)
	all := evaluationsOf(t, s, run)
	equal(t, "evaluations", len(all), 3)
	equal(t, "the first", reflect.DeepEqual(all[0], first), true)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		e, err := tx.ReadEvaluation(run, 1, second.Digest)
		ok(t, err)
		equal(t, "found", reflect.DeepEqual(*e, second), true)
		e, err = tx.ReadEvaluation(run, 1, first.Digest)
		equal(t, "of another iteration", e, nil)
		return err
	}))
	sound(t, s)

	pruneTo(t, s, &Retention{Kinds: []schema.Kind{}}, run)
	_, err := s.Compact(t.Context(), nil)
	ok(t, err)
	equal(t, "after pruning and compaction", len(evaluationsOf(t, s, run)), 3)
	sound(t, s)

	ok(t, s.Update(t.Context(), func(tx *Tx) error { _, err := tx.Remove(run); return err }))
	equal(t, "after the removal", len(evaluationsOf(t, s, run)), 0)
	equal(t, "of the other run", len(evaluationsOf(t, s, other)), 1)
	sound(t, s)
}

// TestEvaluationsAreOfTheirLink: an evaluation of another link or with other bytes is refused.
func TestEvaluationsAreOfTheirLink(t *testing.T) {
	s, _ := newTestStore(t)
	run := extend(t, s, 1, 1)
	other := evaluation(schema.Digest{7}, 1)
	record := encoded(t, other)
	digest, err := schema.EvaluationDigest(other.Link, other.Spec)
	ok(t, err)
	at := Evaluation{Run: run, Digest: digest, Link: other.Link, Spec: other.Spec, Record: schema.Name(record)}
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error { return tx.PutEvaluation(at, record) }), ErrInvalid)
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error { return tx.PutEvaluation(at, record[1:]) }), ErrInvalid)
	at.Spec.Goal++ // of no digest that it names
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error { return tx.PutEvaluation(at, record) }), ErrInvalid)
	at.Spec.Goal--
	at.K = 1
	wantErr(t, s.Update(t.Context(), func(tx *Tx) error { return tx.PutEvaluation(at, record) }), ErrMissing)
	equal(t, "format", formatOf(t, s), formatWhole)
}

// TestEvaluationsAreCopied: evaluations are copied with the run, and alone if the target has the
// run.
func TestEvaluationsAreCopied(t *testing.T) {
	s, _ := newTestStore(t)
	to, _ := newTestStore(t)
	run := extend(t, s, 1, 2)
	addEvaluation(t, s, run, 0, 3)
	copied := func() CopyReport {
		c, err := Copy(t.Context(), s, to, CopyOptions{})
		ok(t, err)
		return c
	}
	equal(t, "outcome", copied().Runs[0].Outcome, CopyNew)
	equal(t, "copied", len(evaluationsOf(t, to, run)), 1)
	addEvaluation(t, s, run, 1, 4)
	c := copied()
	equal(t, "outcome of the second", c.Runs[0].Outcome, CopyPresent)
	equal(t, "records of the second", c.Records, 1)
	equal(t, "copied later", len(evaluationsOf(t, to, run)), 2)
	equal(t, "records of the third", copied().Records, 0)
	extend(t, to, 1, 3) // further than the other store: still, what hangs there comes
	addEvaluation(t, s, run, 0, 5)
	equal(t, "records of the fourth", copied().Records, 1)
	equal(t, "copied last", len(evaluationsOf(t, to, run)), 3)
	sound(t, to)

	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		e := Evaluation{Run: run, K: 1, Digest: schema.Digest{9}, Link: schema.Digest{8}, Record: schema.Digest{7}}
		return tx.putEvaluationRow(e)
	}))
	equal(t, "one of another link", copied().Runs[0].Outcome, CopyRefused)
}

// TestDamagedEvaluations: a check finds damaged evaluations, and a repair drops them and keeps the
// others.
func TestDamagedEvaluations(t *testing.T) {
	for name, spoil := range map[string]func(tx *Tx, e Evaluation) error{
		"its row": func(tx *Tx, e Evaluation) error {
			return tx.buckets[bucketEvaluations].Put(e.key(), []byte("row"))
		},
		"its link": func(tx *Tx, e Evaluation) error {
			e.Link[0] ^= 1
			return tx.putEvaluationRow(e)
		},
		"its iteration": func(tx *Tx, e Evaluation) error {
			e.K = 5
			return tx.putEvaluationRow(e)
		},
		"its record": func(tx *Tx, e Evaluation) error {
			seq := bytes.Clone(tx.buckets[bucketDigests].Get(e.Record[:]))
			return tx.buckets[bucketRecords].Put(seq, []byte{9, 4, 0, 0})
		},
		"its record's index": func(tx *Tx, e Evaluation) error {
			if _, err := tx.deleteStored(e.Record); err != nil {
				return err
			}
			return tx.removeRow(bucketDigests, e.Record[:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newTestStore(t)
			run := extend(t, s, 1, 2)
			addEvaluation(t, s, run, 0, 3)
			e := addEvaluation(t, s, run, 1, 4)
			ok(t, s.Update(t.Context(), func(tx *Tx) error { return spoil(tx, e) }))
			if found := checkStore(t, s, selectAll); len(found.Damaged) != 1 || found.Damaged[0].Run == nil {
				t.Fatalf("found %q", formatDamages(found))
			}
			r, err := s.BeginRepair(t.Context())
			ok(t, err)
			defer r.Close()
			sound(t, r.NewStore)
			left := evaluationsOf(t, r.NewStore, run)
			if name == "its iteration" || name == "its row" || name == "its link" {
				equal(t, "left", len(left), 2) // the sound one has another key, or is on an older page
				return
			}
			equal(t, "left", len(left), 1)
			equal(t, "of iteration", left[0].K, 0)
			equal(t, "lost", len(r.Report.Rows), 1)
			equal(t, "can be made again", reflect.DeepEqual(*r.Report.Rows[0].Evaluation, e), true)
		})
	}
}

// TestNoEvaluationsInOlderStores: a store of a lower format lacks the bucket, and one of this
// format without it is damaged.
func TestNoEvaluationsInOlderStores(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "podtrack.db"), Options{})
	ok(t, s.Create(t.Context()))
	run := extend(t, s, 1, 1)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		e, err := tx.ReadEvaluation(run, 0, schema.Digest{})
		if e != nil || tx.buckets[bucketEvaluations] != nil {
			return errors.New("there is a bucket")
		}
		return err
	}))
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return writeRow(tx, bucketPodtrack, []byte(formatKey), formatRow{Format: formatEvaluations})
	}))
	wantErr(t, s.View(t.Context(), func(*Tx) error { return nil }), ErrNotStore)
}
