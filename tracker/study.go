package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ErrStudyTaken is the error of a study whose name another study has.
var ErrStudyTaken = errors.New("another study has this name")

// studyPrefix is that of the key of a study in [rows.BucketPodtrack]; the study's name follows.
const studyPrefix = "study/"

func studyKey(name string) []byte { return []byte(studyPrefix + name) }

// IsStudyKey reports whether a key of [rows.BucketPodtrack] is that of a study.
func IsStudyKey(key []byte) bool { return bytes.HasPrefix(key, []byte(studyPrefix)) }

// studyCodec packs and unpacks studies. It uses the fastest level: the specs of a study are nearly identical, so that
// even this level packs them well.
var studyCodec = sync.OnceValues(func() (*codec.Codec, error) { return codec.New(1) })

// SetStudy records a study under its name, in place of an earlier form of it. If the two differ and one of them is
// registered, the error is [ErrStudyTaken].
func (t *Tx) SetStudy(p *runset.Plan) error {
	_, err := t.putStudy(p, true)
	return err
}

// MergeStudy records a study of another store, and reports whether it is new here. If another study has its name, the
// error is [ErrStudyTaken].
func (t *Tx) MergeStudy(p *runset.Plan) (added bool, err error) { return t.putStudy(p, false) }

// CheckStudy returns the error that [Tx.SetStudy] would return.
func (t *Tx) CheckStudy(p *runset.Plan) error {
	_, _, err := t.compareStudy(p, true)
	return err
}

func (t *Tx) putStudy(p *runset.Plan, mayChange bool) (added bool, err error) {
	encoded, added, err := t.compareStudy(p, mayChange)
	if err != nil || encoded == nil {
		return false, err
	}
	t.studies = new(studyIndex)
	c, err := studyCodec()
	if err != nil {
		return false, err
	}
	stored, err := c.Pack(encoded)
	if err != nil {
		return false, err
	}
	name := schema.Name(encoded)
	return added, t.rows.Put(rows.BucketPodtrack, studyKey(p.Study.Name), append(name[:], stored...))
}

// compareStudy returns the encoding of a study that may be written, nil if the store has the same. isNew reports
// whether no study has its name.
func (t *Tx) compareStudy(p *runset.Plan, mayChange bool) (encoded []byte, isNew bool, err error) {
	if encoded, err = p.Encode(); err == nil {
		err = ValidateTag(p.Study.Name)
	}
	if err != nil {
		return nil, false, err
	}
	before, digest, err := t.ReadStudy(p.Study.Name)
	id := schema.Name(encoded)
	switch {
	case errors.Is(err, ErrMissing):
		return encoded, true, nil
	case err != nil || digest == id:
		return nil, false, err
	case before.Study.Registered || p.Study.Registered || !mayChange:
		remedy := "give the changed study another name"
		if before.Study.Registered {
			remedy = "it is registered with that digest: undo what has changed since, or " + remedy
		}
		return nil, false, schema.Hint(fmt.Errorf("study %q: %w, with digest %.12s instead of %.12s", p.Study.Name,
			ErrStudyTaken, digest, id), "%s", remedy)
	}
	return encoded, false, nil
}

// ReadStudy returns the study of that name, with the digest of its encoding. The error of a study that does not exist
// names a similar one.
func (t *Tx) ReadStudy(name string) (p *runset.Plan, digest schema.Digest, err error) {
	key := studyKey(name)
	value, err := t.rows.Get(rows.BucketPodtrack, key)
	if err != nil || value != nil {
		if err == nil {
			p, digest, err = decodeStudy(key, value)
		}
		return p, digest, err
	}
	err = storeerr.Missing("study %q", name)
	known := t.StudyNames()
	if near := textfmt.Suggest(name, known); near != "" {
		return nil, digest, schema.Hint(err, "did you mean %q?", near)
	}
	if len(known) == 0 {
		return nil, digest, schema.Hint(err, AdviceNoStudy)
	}
	return nil, digest, schema.Hint(err, "the studies of this store: %s", strings.Join(known, ", "))
}

// StudyNames returns the names of the studies of the store, in order.
func (t *Tx) StudyNames() (names []string) {
	for key := range t.rows.WithPrefix(rows.BucketPodtrack, []byte(studyPrefix)) {
		names = append(names, string(key[len(studyPrefix):]))
	}
	return names
}

// Studies returns the studies of the store, in the order of their names: those before the first that is damaged.
func (t *Tx) Studies() (all []*runset.Plan, err error) {
	for _, name := range t.StudyNames() {
		p, _, err := t.ReadStudy(name)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, nil
}

func decodeStudy(key, value []byte) (*runset.Plan, schema.Digest, error) {
	damaged := rows.DamagedError(rows.BucketPodtrack, key)
	if len(value) < len(schema.Digest{}) {
		return nil, schema.Digest{}, damaged
	}
	name, stored := schema.Digest(value[:len(schema.Digest{})]), value[len(schema.Digest{}):]
	if _, size, _, err := codec.Parse(stored); err != nil || size > runset.MaxPlanBytes {
		return nil, name, fmt.Errorf("%w: a study of %d bytes", damaged, size)
	}
	c, err := studyCodec()
	if err != nil {
		return nil, name, err
	}
	encoded, err := c.Decode(name, stored)
	if errors.Is(err, memory.ErrNotEnough) {
		return nil, name, err
	}
	var p *runset.Plan
	if err == nil {
		p, err = runset.DecodePlan(encoded)
	}
	if err == nil && !bytes.Equal(key, studyKey(p.Study.Name)) {
		err = fmt.Errorf("it is study %q", p.Study.Name)
	}
	if err == nil {
		err = ValidateTag(p.Study.Name)
	}
	if err != nil {
		return nil, name, fmt.Errorf("%w: %w", damaged, err)
	}
	return p, name, nil
}

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
	all, err := t.Studies()
	if err != nil {
		return err
	}
	s.studies = map[schema.Digest][]*studyCell{}
	for _, plan := range all {
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
	return nil
}
