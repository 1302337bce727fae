package tracker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

func planOfSeeds(seeds ...uint64) *runset.Plan {
	return &runset.Plan{Specs: []schema.Spec{Spec(0)}, Seeds: runset.SeedSet(seeds...), Iterations: 2}
}

// studyOf returns a study with one setting, and as many variants as there are step sizes.
func studyOf(name string, registered bool, seeds []uint64, steps ...int64) *runset.Plan {
	p := planOfSeeds(seeds...)
	p.Specs = nil
	p.Study = &runset.Study{
		Name: name, Correction: runset.Holm, Registered: registered,
		Settings: []runset.Setting{{Name: "ring", Outcome: runset.Outcome{Measure: "distance", Over: runset.OverLast}}},
	}
	for i, n := range steps {
		spec := Spec(0)
		spec.Steps = n
		p.Specs = append(p.Specs, spec)
		p.Study.Variants = append(p.Study.Variants, runset.Variant{Name: fmt.Sprint(n)})
		p.Study.Cells = append(p.Study.Cells, runset.Cell{Variant: i})
	}
	return p
}

func membershipsOf(t testing.TB, s *tracker.Store, steps int64, seed uint64) (all string) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		spec := Spec(seed)
		spec.Steps = steps
		places, err := tx.MembershipsOf(tracker.Run{Spec: spec})
		names := []string{}
		for _, p := range places {
			names = append(names, fmt.Sprintf("%s/%s/%s", p.Study, p.Setting.Name, p.Variant.Name))
		}
		all = fmt.Sprint(names)
		return err
	}))
	return all
}

func setStudy(t testing.TB, s *tracker.Store, p *runset.Plan) {
	t.Helper()
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.SetStudy(p) }))
}

// studiesIn returns the names and the seeds of the studies of a store.
func studiesIn(t testing.TB, s *tracker.Store) (all string) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		studies, err := tx.Studies()
		for _, p := range studies {
			all += fmt.Sprintf("%s: %s; ", p.Study.Name, p.Seeds)
		}
		return err
	}))
	return all
}

// TestStudies: a run is in the studies that have its spec with its seed; a study that is not registered may change,
// and one that is may not.
func TestStudies(t *testing.T) {
	s, _ := NewStore(t)
	setStudy(t, s, studyOf("b", true, []uint64{2}, 6))
	setStudy(t, s, studyOf("a", false, []uint64{1, 2}, 5, 6))
	Equal(t, "of both", membershipsOf(t, s, 6, 2), "[a/ring/6 b/ring/6]")
	Equal(t, "of one", membershipsOf(t, s, 5, 2), "[a/ring/5]")
	Equal(t, "another seed", membershipsOf(t, s, 5, 3), "[]")
	setStudy(t, s, studyOf("a", false, []uint64{3}, 5))
	Equal(t, "changed", membershipsOf(t, s, 5, 3)+membershipsOf(t, s, 6, 2), "[a/ring/5][b/ring/6]")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for _, change := range []func(*runset.Plan) error{tx.CheckStudy, tx.SetStudy} {
			WantErr(t, change(studyOf("b", false, []uint64{3}, 6)), tracker.ErrStudyTaken)
			OK(t, change(studyOf("b", true, []uint64{2}, 6)))
		}
		WantErr(t, tx.SetStudy(studyOf("a b", false, []uint64{1}, 5)), tracker.ErrInvalid)
		WantErr(t, tx.SetStudy(planOfSeeds(1)), runset.ErrPlan)
		return nil
	}))
	Equal(t, "after the refusals", membershipsOf(t, s, 6, 2), "[b/ring/6]")
	Equal(t, "all", studiesIn(t, s), "a: 3; b: 2; ")
	sound(t, s)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, _, err := tx.ReadStudy("c")
		WantErr(t, err, tracker.ErrMissing)
		p, digest, err := tx.ReadStudy("b")
		encoded, failed := studyOf("b", true, []uint64{2}, 6).Encode()
		if err != nil || failed != nil || p.Study.Name != "b" || digest != schema.Name(encoded) {
			t.Error(p, digest, err, failed)
		}
		return nil
	}))
}

// TestMergedStudies: a merge adds studies once, and refuses another one of the same name.
func TestMergedStudies(t *testing.T) {
	from, _ := NewStore(t)
	setStudy(t, from, studyOf("a", false, []uint64{1}, 5))
	setStudy(t, from, studyOf("b", false, []uint64{1}, 5))
	to := NewEmptyStore(t, from)
	setStudy(t, to, studyOf("b", false, []uint64{1}, 6))
	for _, added := range []int{1, 0} {
		r, err := merge.CopyStudies(t.Context(), from, to, nil)
		OK(t, err)
		Equal(t, "added, refused", fmt.Sprint(r.Added, len(r.Refused)), fmt.Sprint(added, 1))
	}
	Equal(t, "places", membershipsOf(t, to, 5, 1)+membershipsOf(t, to, 6, 1), "[a/ring/5][b/ring/6]")
	sound(t, to)
}

// TestStudiesGoWithTheStore: a compaction, a backup and a repair keep studies.
func TestStudiesGoWithTheStore(t *testing.T) {
	if !filelock.TakesLock {
		t.Skip("there are no compactions on this system")
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	setStudy(t, s, studyOf("a", false, []uint64{1, 2, 3}, 5))
	setStudy(t, s, studyOf(strings.Repeat("t", tracker.MaxLabel), true, []uint64{1}, 5, 6))
	want := studiesIn(t, s)
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err := backup.Run(t.Context(), s, copied, backup.Options{})
	OK(t, err)
	Equal(t, "backed up", studiesIn(t, tracker.New(copied, tracker.Options{})), want)
	_, err = backup.Compact(t.Context(), s, nil)
	OK(t, err)
	Equal(t, "compacted", studiesIn(t, s), want)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.Rows().Bucket(rows.BucketPodtrack).Put([]byte("study/lost"), []byte("123456789"))
	}))
	r, err := repair.Begin(t.Context(), s)
	OK(t, err)
	defer r.Close()
	sound(t, r.NewStore)
	Equal(t, "repaired", studiesIn(t, r.NewStore), want)
	Equal(t, "lost", len(r.Report.Rows), 1)
}

// TestSpoiltStudies: check and readers detect a damaged study, a repair finds an intact row in free pages or drops it,
// and readers of runs alone are not affected.
func TestSpoiltStudies(t *testing.T) {
	for name, spoil := range map[string]func(tx *tracker.Tx) error{
		"other bytes": func(tx *tracker.Tx) error {
			return tx.Rows().Bucket(rows.BucketPodtrack).Put([]byte("study/a"), []byte("123456789"))
		},
		"another study": func(tx *tracker.Tx) error {
			stored, err := tx.Rows().Get(rows.BucketPodtrack, []byte("study/a"))
			OK(t, err)
			return errors.Join(tx.Rows().Put(rows.BucketPodtrack, []byte("study/other"), stored),
				tx.Rows().Remove(rows.BucketPodtrack, []byte("study/a")))
		},
		"another digest": func(tx *tracker.Tx) error {
			stored, err := tx.Rows().Get(rows.BucketPodtrack, []byte("study/a"))
			OK(t, err)
			forged := bytes.Clone(stored)
			forged[0] ^= 1
			return tx.Rows().Put(rows.BucketPodtrack, []byte("study/a"), forged)
		},
		"4 GiB": func(tx *tracker.Tx) error {
			bomb := append(binary.AppendUvarint(append(make([]byte, 32), codec.Zstd), codec.MaxRecord), make([]byte, 1<<18)...)
			return tx.Rows().Put(rows.BucketPodtrack, []byte("study/a"), bomb)
		},
		"nothing": func(tx *tracker.Tx) error { return tx.Rows().Put(rows.BucketPodtrack, []byte("study/a"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := NewStore(t)
			Extend(t, s, 1, 1)
			setStudy(t, s, studyOf("a", false, []uint64{1, 2}, 5))
			Equal(t, "damages before", fmt.Sprint(FormatDamages(Check(t, s, SelectAll))), "[]")
			OK(t, s.Update(t.Context(), spoil))
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
				_, err := tx.MembershipsOf(tracker.Run{Spec: Spec(1)})
				WantErr(t, err, tracker.ErrDamaged)
				_, err = tx.ReadAnnotation(RunID(t, 1))
				return err
			}))
			if found := FormatDamages(Check(t, s, SelectAll)); len(found) != 1 || !strings.HasPrefix(found[0], "podtrack: ") {
				t.Errorf("check found %q", found)
			}
			to := NewEmptyStore(t, s)
			r, err := merge.CopyStudies(t.Context(), s, to, nil)
			OK(t, err)
			Equal(t, "refused", len(r.Refused), 1)
			sound(t, to)
			if !filelock.TakesLock {
				return
			}
			fixed, err := repair.Begin(t.Context(), s)
			OK(t, err)
			defer fixed.Close()
			sound(t, fixed.NewStore)
			if left := studiesIn(t, fixed.NewStore); len(fixed.Report.Rows) == 0 && left != "a: 1-2; " {
				t.Errorf("the repair reports no loss, and there is %q", left) // unless free pages have the row
			}
		})
	}
}

// TestTagsOfAClaim: a run has its tags from its first transaction on.
func TestTagsOfAClaim(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	_, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 1, Tags: []string{"b", "a", "b"}})
	OK(t, err)
	_, _, err = w.Acquire(t.Context(), tracker.Claim{Spec: Spec(2), Target: 1, Tags: []string{"fine", "not fine"}})
	WantErr(t, err, tracker.ErrInvalid)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		tags, err := tx.ReadTags(RunID(t, 1))
		OK(t, err)
		Equal(t, "tags", fmt.Sprint(tags), "[a b]")
		_, err = tx.ReadRun(RunID(t, 2))
		WantErr(t, err, tracker.ErrMissing)
		return nil
	}))
}
