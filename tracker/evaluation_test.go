package tracker_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestEvaluationsHangOffIterations: evaluations can be found, survive pruning and compaction, and
// are removed with their run.
func TestEvaluationsHangOffIterations(t *testing.T) {
	s, _ := NewStore(t)
	run, other := Extend(t, s, 1, 2), Extend(t, s, 2, 1)
	Equal(t, "format before", FormatOf(t, s), rows.FormatWhole)
	Equal(t, "evaluations before", len(EvaluationsOf(t, s, run)), 0)
	first, second := AddEvaluation(t, s, run, 0, 3), AddEvaluation(t, s, run, 1, 3)
	AddEvaluation(t, s, run, 1, 4)
	AddEvaluation(t, s, other, 0, 3)
	Equal(t, "the same again", reflect.DeepEqual(AddEvaluation(t, s, run, 0, 3), first), true)
	Equal(t, "format", FormatOf(t, s), rows.FormatEvaluations)
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
	_, err := s.Compact(t.Context(), nil)
	OK(t, err)
	Equal(t, "after pruning and compaction", len(EvaluationsOf(t, s, run)), 3)
	Sound(t, s)

	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { _, err := tx.Remove(run); return err }))
	Equal(t, "after the removal", len(EvaluationsOf(t, s, run)), 0)
	Equal(t, "of the other run", len(EvaluationsOf(t, s, other)), 1)
	Sound(t, s)
}

// TestEvaluationsAreOfTheirLink: an evaluation of another link or with other bytes is refused.
func TestEvaluationsAreOfTheirLink(t *testing.T) {
	s, _ := NewStore(t)
	run := Extend(t, s, 1, 1)
	other := NewEvaluation(schema.Digest{7}, 1)
	record := Encoded(t, other)
	digest, err := schema.EvaluationDigest(other.Link, other.Spec)
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
	Equal(t, "format", FormatOf(t, s), rows.FormatWhole)
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
	Extend(t, to, 1, 3) // further than the other store: still, what hangs there comes
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
			r, err := s.BeginRepair(t.Context())
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

// TestNoEvaluationsInOlderStores: a store of a lower format lacks the bucket, and one of this
// format without it is damaged.
func TestNoEvaluationsInOlderStores(t *testing.T) {
	s := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	OK(t, s.Create(t.Context()))
	run := Extend(t, s, 1, 1)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		e, err := tx.ReadEvaluation(run, 0, schema.Digest{})
		if e != nil || tx.Rows().Bucket(rows.BucketEvaluations) != nil {
			return errors.New("there is a bucket")
		}
		return err
	}))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("format"),
			map[string]uint64{"format": rows.FormatEvaluations})
	}))
	WantErr(t, s.View(t.Context(), func(*tracker.Tx) error { return nil }), tracker.ErrNotStore)
}
