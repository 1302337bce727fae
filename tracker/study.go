package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ErrStudyTaken is the error of a study whose name another study has.
var ErrStudyTaken = errors.New("another study has this name")

// A Membership is the place of a run in a study.
type Membership struct {
	Study   string
	Setting runset.Setting
	Variant runset.Variant
	Cell    runset.Cell // the places of the setting and the variant in the study's lists
}

// studyIndex knows the places of specs in the studies of a store. The clones of a transaction share it.
type studyIndex struct {
	once    sync.Once
	studies map[schema.Digest][]*studyCell // by the family of the spec
	err     error
}

// A studyCell is a spec of a study.
type studyCell struct {
	Membership
	seeds runset.Seeds
}

// MembershipsOf returns the places of a run in the studies of the store: of the ones that have its spec with its seed.
// A fork is in no study.
func (t *Tx) MembershipsOf(r Run) (all []Membership, err error) {
	t.studies.once.Do(func() { t.studies.err = t.studies.read(t) })
	if t.studies.err != nil || len(t.studies.studies) == 0 || len(r.Ancestors) > 0 {
		return nil, t.studies.err
	}
	family, err := r.Spec.Family()
	if err != nil {
		return nil, err
	}
	for _, c := range t.studies.studies[family] {
		if c.seeds.Contains(r.Spec.Seed) {
			all = append(all, c.Membership)
		}
	}
	return all, nil
}

func (s *studyIndex) read(t *Tx) error {
	tags, err := t.ReadPlannedTags()
	if err != nil {
		return err
	}
	s.studies = map[schema.Digest][]*studyCell{}
	for _, p := range tags {
		if !p.Study {
			continue
		}
		plan, err := t.readStudyPlan(p)
		if err != nil {
			return err
		}
		for i, cell := range plan.Study.Cells {
			family, err := plan.Specs[i].Family()
			if err != nil {
				return err
			}
			s.studies[family] = append(s.studies[family], &studyCell{Membership{
				plan.Study.Name, plan.Study.Settings[cell.Setting], plan.Study.Variants[cell.Variant], cell,
			}, plan.Seeds})
		}
	}
	for _, cells := range s.studies {
		slices.SortFunc(cells, func(a, b *studyCell) int { return strings.Compare(a.Study, b.Study) })
	}
	return nil
}

// ReadStudy returns the study of that name, with its row. The error of a study that does not exist names a similar one.
func (t *Tx) ReadStudy(name string) (*runset.Plan, PlannedTag, error) {
	tags, err := t.ReadPlannedTags()
	if err != nil {
		return nil, PlannedTag{}, err
	}
	known := studyNames(tags)
	for _, p := range tags {
		if p.Study && p.Tag == name {
			plan, err := t.readStudyPlan(p)
			return plan, p, err
		}
	}
	err = storeerr.Missing("study %q", name)
	if near := textfmt.Suggest(name, known); near != "" {
		return nil, PlannedTag{}, schema.Hint(err, "did you mean %q?", near)
	}
	if len(known) == 0 {
		return nil, PlannedTag{}, schema.Advise(err, AdviceNoStudy)
	}
	return nil, PlannedTag{}, schema.Hint(err, "the studies of this store: %s", strings.Join(known, ", "))
}

// StudyNames returns the names of the studies of the store.
func (t *Tx) StudyNames() ([]string, error) {
	tags, err := t.ReadPlannedTags()
	return studyNames(tags), err
}

func studyNames(tags []PlannedTag) (names []string) {
	for _, p := range tags {
		if p.Study {
			names = append(names, p.Tag)
		}
	}
	return names
}

// readStudyPlan returns the plan of a row of a study.
func (t *Tx) readStudyPlan(p PlannedTag) (*runset.Plan, error) {
	plan, err := t.ReadPlan(p.Plan)
	if err == nil {
		err = checkStudyRow(p, plan)
	}
	return plan, err
}

// checkStudyRow returns an error if the row of a study names a plan that is not this study.
func checkStudyRow(p PlannedTag, plan *runset.Plan) error {
	if plan.Study == nil || plan.Study.Name != p.Tag {
		return storeerr.Damaged("study %q, whose plan %.12s is another", p.Tag, p.Plan)
	}
	return nil
}

// checkStudyKey returns an error for the row of a study whose plan is another one, or whose name a later study has.
func (t *Tx) checkStudyKey(key []byte) error {
	row := t.rows.Bucket(rows.BucketPodtrack).Get(key)
	if !bytes.HasPrefix(key, []byte(plannedPrefix)) || row == nil {
		return nil
	}
	value, err := rows.Verify(rows.BucketPodtrack, key, row)
	if err != nil {
		return err
	}
	p, err := decodePlanned(key, value)
	if err != nil || !p.Study {
		return err
	}
	if _, err := t.readStudyPlan(p); err != nil {
		return err
	}
	all, err := t.ReadPlannedTags()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(q PlannedTag) bool { return q.Study && q.Tag == p.Tag })
	if all[i].Plan != p.Plan {
		return storeerr.Damaged("study %q, which a later one of this name replaced", p.Tag)
	}
	return nil
}

// CheckStudy returns the error that [Tx.AddPlan] would return for the study of a plan.
func (t *Tx) CheckStudy(p *runset.Plan) error {
	encoded, err := p.Encode()
	if err == nil {
		_, err = t.earlierForms(schema.Name(encoded), p.Study, true)
	}
	return err
}

// admitStudy makes room for a study under its name: an earlier form of it goes.
func (t *Tx) admitStudy(id schema.Digest, study *runset.Study, mayChange bool) error {
	earlier, err := t.earlierForms(id, study, mayChange)
	for _, p := range earlier {
		if err == nil {
			err = t.DropPlan(p.Plan, p.Tag)
		}
	}
	return err
}

// earlierForms returns the rows of the study's name whose plan is another. If one of the forms is registered, they are
// two studies, and the error is [ErrStudyTaken].
func (t *Tx) earlierForms(id schema.Digest, study *runset.Study, mayChange bool) (earlier []PlannedTag, err error) {
	tags, err := t.ReadPlannedTags()
	if err != nil {
		return nil, err
	}
	for _, p := range tags {
		if !p.Study || p.Tag != study.Name || p.Plan == id {
			continue
		}
		before, err := t.readStudyPlan(p)
		if err != nil {
			return nil, err
		}
		if before.Study.Registered || study.Registered || !mayChange {
			remedy := "give the changed study another name"
			if before.Study.Registered {
				remedy = "it is registered with that digest: undo what has changed since, or " + remedy
			}
			return nil, schema.Hint(fmt.Errorf("study %q: %w, with digest %.12s instead of %.12s", study.Name,
				ErrStudyTaken, p.Plan, id), "%s", remedy)
		}
		earlier = append(earlier, p)
	}
	return earlier, nil
}
