package tracker_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestEvaluationsHangOffIterations: evaluations can be found, survive pruning and compaction, and
// are removed with their run.
func TestEvaluationsHangOffIterations(t *testing.T) {
	s, _ := NewStore(t)
	run, other := Extend(t, s, 1, 2), Extend(t, s, 2, 1)
	Equal(t, "evaluations before", len(EvaluationsOf(t, s, run)), 0)
	first, second := AddEvaluation(t, s, run, 0, 3), AddEvaluation(t, s, run, 1, 3)
	AddEvaluation(t, s, run, 1, 4)
	AddEvaluation(t, s, other, 0, 3)
	Equal(t, "the same again", reflect.DeepEqual(AddEvaluation(t, s, run, 0, 3), first), true)
	all := EvaluationsOf(t, s, run)
	Equal(t, "evaluations", len(all), 3)
	Equal(t, "the first", reflect.DeepEqual(all[0], first), true)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		e, err := tx.ReadEvaluation(run, 1, second.Digest)
		OK(t, err)
		Equal(t, "found", reflect.DeepEqual(*e, second), true)
		e, err = tx.ReadEvaluation(run, 1, first.Digest)
		Equal(t, "of another iteration", e, nil)
		return err
	}))
	Sound(t, s)

	PruneTo(t, s, &tracker.Retention{Kinds: []schema.Kind{}}, run)
	_, err := backup.Compact(t.Context(), s, backup.CompactOptions{})
	OK(t, err)
	Equal(t, "after pruning and compaction", len(EvaluationsOf(t, s, run)), 3)
	Sound(t, s)

	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := gc.RemoveInTx(tx, run); return err }))
	Equal(t, "after the removal", len(EvaluationsOf(t, s, run)), 0)
	Equal(t, "of the other run", len(EvaluationsOf(t, s, other)), 1)
	Sound(t, s)
}

// TestEvaluationParts: the parts of an evaluation that is not finished go with a compaction and with their run,
// and damaged ones are not taken.
func TestEvaluationParts(t *testing.T) {
	s, _ := NewStore(t)
	run := Extend(t, s, 1, 2)
	AddEvaluation(t, s, run, 0, 3)
	e := NewEvaluation(linkOf(t, s, run, 1), 4)
	e.Spec = e.Spec.NewTasks([]evaluation.TaskStates{{Goal: 4, Start: -1}, {Goal: 5, Start: -1}, {Goal: 6, Start: 1}})
	e.Steps = []uint32{1, 2, 3, 4, 5, 6}
	digest, err := evaluation.Digest(e.Link, e.Spec)
	OK(t, err)
	at := tracker.Evaluation{Run: run, K: 1, Digest: digest, Link: e.Link, Spec: e.Spec}
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		WantErr(t, tx.PutEvaluationPart(tracker.Evaluation{Digest: digest}, 0, nil), tracker.ErrInvalid)
		WantErr(t, tx.PutEvaluationPart(at, 0, make([]uint32, tracker.MaxPart+1)), tracker.ErrInvalid)
		return errors.Join(tx.PutEvaluationPart(at, 0, []uint32{1, 2}), tx.PutEvaluationPart(at, 2, []uint32{5, 6}),
			tx.PutEvaluationPart(at, 1, []uint32{5, 1 << 20}), tx.PutEvaluationPart(at, 7, []uint32{1, 1}))
	}))
	_, err = backup.Compact(t.Context(), s, backup.CompactOptions{})
	OK(t, err)
	parts := func() (kept map[int][]uint32) {
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error { kept = tx.ReadEvaluationParts(at, 3, 2); return nil }))
		return kept
	}
	Equal(t, "parts", reflect.DeepEqual(parts(), map[int][]uint32{0: {1, 2}, 2: {5, 6}}), true)
	Sound(t, s)

	record := Encoded(t, e)
	at.Record = schema.Name(record)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return errors.Join(tx.PutEvaluation(at, record), tx.RemoveEvaluationParts(at))
	}))
	Equal(t, "parts of one that is recorded", len(parts()), 0)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluationPart(at, 0, []uint32{1, 2}) }))
	Equal(t, "parts that another process puts after that", len(parts()), 0)
	target, _ := NewStore(t)
	_, err = merge.Run(t.Context(), s, target, merge.Options{})
	OK(t, err)
	Equal(t, "evaluations of a copy", len(EvaluationsOf(t, target, run)), 2)
	Sound(t, target)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := gc.RemoveInTx(tx, run); return err }))
	Equal(t, "parts of a removed run", len(parts()), 0)

	again := Extend(t, s, 2, 1)
	for _, rewarded := range []bool{false, true} {
		e = NewEvaluation(linkOf(t, s, again, 0), 4)
		if e.Spec.Model = evaluation.EmpiricalModel; rewarded {
			e.Spec.Goal, e.Spec.Reward, e.Returns = 0, true, make([]float64, len(e.Steps))
		}
		record = Encoded(t, e)
		at = tracker.Evaluation{Run: again, K: 0, Link: e.Link, Spec: e.Spec, Record: schema.Name(record)}
		at.Digest, err = evaluation.Digest(e.Link, e.Spec)
		OK(t, err)
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluation(at, record) }))
	}
	Sound(t, s)
}

func linkOf(t *testing.T, s *tracker.Store, run schema.Digest, k int) (link schema.Digest) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		it, err := tx.ReadIteration(run, k)
		link = it.Link
		return err
	}))
	return link
}

// TestEvaluationsAreOfTheirLink: an evaluation of another link or with other bytes is refused.
func TestEvaluationsAreOfTheirLink(t *testing.T) {
	s, _ := NewStore(t)
	run := Extend(t, s, 1, 1)
	other := NewEvaluation(schema.Digest{7}, 1)
	record := Encoded(t, other)
	digest, err := evaluation.Digest(other.Link, other.Spec)
	OK(t, err)
	at := tracker.Evaluation{Run: run, Digest: digest, Link: other.Link, Spec: other.Spec, Record: schema.Name(record)}
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluation(at, record) }),
		tracker.ErrInvalid)
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluation(at, record[1:]) }),
		tracker.ErrInvalid)
	at.Spec.Goal++ // of no digest that it names
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluation(at, record) }),
		tracker.ErrInvalid)
	at.Spec.Goal--
	at.K = 1
	WantErr(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.PutEvaluation(at, record) }),
		tracker.ErrMissing)
}

// TestEvaluationsAreCopied: evaluations are copied with the run, and alone if the target has the
// run.
func TestEvaluationsAreCopied(t *testing.T) {
	s, _ := NewStore(t)
	to, _ := NewStore(t)
	run := Extend(t, s, 1, 2)
	AddEvaluation(t, s, run, 0, 3)
	copied := func() merge.Report {
		c, err := merge.Run(t.Context(), s, to, merge.Options{})
		OK(t, err)
		return c
	}
	Equal(t, "outcome", copied().Runs[0].Outcome, merge.OutcomeNew)
	Equal(t, "copied", len(EvaluationsOf(t, to, run)), 1)
	AddEvaluation(t, s, run, 1, 4)
	c := copied()
	Equal(t, "outcome of the second", c.Runs[0].Outcome, merge.OutcomePresent)
	Equal(t, "records of the second", c.Records, 1)
	Equal(t, "copied later", len(EvaluationsOf(t, to, run)), 2)
	Equal(t, "records of the third", copied().Records, 0)
	Extend(t, to, 1, 3) // further than the other store, whose evaluations are copied all the same
	AddEvaluation(t, s, run, 0, 5)
	Equal(t, "records of the fourth", copied().Records, 1)
	Equal(t, "copied last", len(EvaluationsOf(t, to, run)), 3)
	Sound(t, to)

	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		e := tracker.Evaluation{Run: run, K: 1, Digest: schema.Digest{9}, Link: schema.Digest{8},
			Record: schema.Digest{7}}
		return tx.PutEvaluationRow(e)
	}))
	Equal(t, "one of another link", copied().Runs[0].Outcome, merge.OutcomeRefused)
}

// TestDamagedEvaluations: a check finds damaged evaluations, and a repair drops them and keeps the
// others.
func TestDamagedEvaluations(t *testing.T) {
	for name, spoil := range map[string]func(tx *tracker.Tx, e tracker.Evaluation) error{
		"its row": func(tx *tracker.Tx, e tracker.Evaluation) error {
			return tx.Rows().Bucket(rows.BucketEvaluations).Put(
				append(rows.PartKey(e.Run, e.K), e.Digest[:]...), []byte("row"))
		},
		"its link": func(tx *tracker.Tx, e tracker.Evaluation) error {
			e.Link[0] ^= 1
			return tx.PutEvaluationRow(e)
		},
		"its iteration": func(tx *tracker.Tx, e tracker.Evaluation) error {
			e.K = 5
			return tx.PutEvaluationRow(e)
		},
		"its record": func(tx *tracker.Tx, e tracker.Evaluation) error {
			seq := bytes.Clone(tx.Rows().Bucket(rows.BucketDigests).Get(e.Record[:]))
			return tx.Rows().Bucket(rows.BucketRecords).Put(seq, []byte{9, 4, 0, 0})
		},
		"its record's index": func(tx *tracker.Tx, e tracker.Evaluation) error {
			_, err := tx.Rows().DeleteRecord(e.Record)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := NewStore(t)
			run := Extend(t, s, 1, 2)
			AddEvaluation(t, s, run, 0, 3)
			e := AddEvaluation(t, s, run, 1, 4)
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return spoil(tx, e) }))
			if found := Check(t, s, SelectAll); len(found.Damaged) != 1 || found.Damaged[0].Run == nil {
				t.Fatalf("found %q", FormatDamages(found))
			}
			r, err := repair.Begin(t.Context(), s)
			OK(t, err)
			defer r.Close()
			Sound(t, r.NewStore)
			left := EvaluationsOf(t, r.NewStore, run)
			if name != "its record" {
				Equal(t, "left", len(left), 2) // the sound one has another key, or is on an older page
				return
			}
			Equal(t, "left", len(left), 1)
			Equal(t, "of iteration", left[0].K, 0)
			Equal(t, "lost", len(r.Report.Rows), 1)
			Equal(t, "can be made again", reflect.DeepEqual(*r.Report.Rows[0].Evaluation, e), true)
		})
	}
}
