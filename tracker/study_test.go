package tracker_test

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

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

// TestStudies: a run is in the studies that have its spec with its seed; a study that is not registered may change,
// and one that is may not.
func TestStudies(t *testing.T) {
	s, c := NewStore(t)
	addPlan(t, s, studyOf("a", false, []uint64{1, 2}, 5, 6), "a")
	addPlan(t, s, studyOf("b", true, []uint64{2}, 6), "b")
	addPlan(t, s, studyOf("b", true, []uint64{2}, 6), "also") // a tag of its runs
	Equal(t, "of both", membershipsOf(t, s, 6, 2), "[a/ring/6 b/ring/6]")
	Equal(t, "of one", membershipsOf(t, s, 5, 2), "[a/ring/5]")
	Equal(t, "another seed", membershipsOf(t, s, 5, 3), "[]")
	c.Advance(1)
	addPlan(t, s, studyOf("a", false, []uint64{3}, 5), "a")
	Equal(t, "changed", membershipsOf(t, s, 5, 3)+membershipsOf(t, s, 6, 2), "[a/ring/5][b/ring/6]")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.AddPlan(studyOf("b", false, []uint64{3}, 6), "b", tracker.Planned{})
		WantErr(t, err, tracker.ErrStudyTaken)
		_, err = tx.AddPlan(studyOf("b", true, []uint64{2}, 6), "b", tracker.Planned{})
		return err
	}))
	Equal(t, "after the refusal", membershipsOf(t, s, 6, 2), "[b/ring/6]")
	Sound(t, s)
	_, _, err := readStudy(t, s, "c")
	WantErr(t, err, tracker.ErrMissing)
	if p, row, err := readStudy(t, s, "b"); err != nil || p.Study.Name != "b" || !row.Study {
		t.Error(p, row, err)
	}
}

func readStudy(t testing.TB, s *tracker.Store, name string) (p *runset.Plan, row tracker.PlannedTag, err error) {
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		p, row, err = tx.ReadStudy(name)
		return nil
	}))
	return p, row, err
}

// TestMergedStudies: a merge adds studies, and refuses another one of the same name.
func TestMergedStudies(t *testing.T) {
	from, _ := NewStore(t)
	addPlan(t, from, studyOf("a", false, []uint64{1}, 5), "a")
	addPlan(t, from, studyOf("b", false, []uint64{1}, 5), "b")
	to := NewEmptyStore(t, from)
	addPlan(t, to, studyOf("b", false, []uint64{1}, 6), "b")
	r, err := merge.CopyPlans(t.Context(), from, to, nil)
	OK(t, err)
	Equal(t, "added, refused", fmt.Sprint(r.Added, len(r.Refused)), "1 1")
	Equal(t, "places", membershipsOf(t, to, 5, 1)+membershipsOf(t, to, 6, 1), "[a/ring/5][b/ring/6]")
	Sound(t, to)
}

// TestForgedStudies: check finds the row of a study with the wrong plan, and the row of a study that a later one
// replaced; reading places returns an error.
func TestForgedStudies(t *testing.T) {
	for name, forge := range map[string]func(tx *tracker.Tx, id schema.Digest) error{
		"another plan": func(tx *tracker.Tx, id schema.Digest) error {
			key := append(append([]byte("planned/"), id[:]...), "other"...)
			return rows.Write(tx.Rows(), rows.BucketPodtrack, key, tracker.Planned{Set: 1, Study: true})
		},
		"no study": func(tx *tracker.Tx, _ schema.Digest) error {
			id, err := tx.AddPlan(planOfSeeds(1), "a", tracker.Planned{})
			OK(t, err)
			key := append(append([]byte("planned/"), id[:]...), "a"...)
			return rows.Write(tx.Rows(), rows.BucketPodtrack, key, tracker.Planned{Set: 1, Study: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := NewStore(t)
			id := addPlanAt(t, s, studyOf("a", false, []uint64{1}, 5), "a", "")
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return forge(tx, id) }))
			if found := FormatDamages(Check(t, s, SelectAll)); len(found) != 1 {
				t.Errorf("check found %q", found)
			}
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
				_, err := tx.MembershipsOf(tracker.Run{Spec: Spec(1)})
				WantErr(t, err, tracker.ErrDamaged)
				return nil
			}))
		})
	}
}
