package tracker

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A PlannedTag says that a plan belongs to a tag, which stands for the union of its plans. A plan is the only
// trace of its runs that have not begun.
type PlannedTag struct {
	Plan schema.Digest // the name of the plan: the digest of its encoding
	Tag  string
	Planned
}

// A Planned says when a plan got a tag, and which folder its runs come from.
type Planned struct {
	Set    int64  `cbor:"set"`              // Unix time in nanoseconds
	Folder string `cbor:"folder,omitempty"` // folder in which runs of other machines arrive, "" for none
	Study  bool   `cbor:"study,omitempty"`  // the plan is the study of that name
}

// maxFolder is the length in bytes of the longest path of a plan's folder.
const maxFolder = 4096

// Both rows are in [rows.BucketPodtrack].
const (
	planPrefix    = "plan/"    // begins the keys of plans; the plan's name follows
	plannedPrefix = "planned/" // begins the keys of the tags of plans; the plan's name and the tag follow
)

func planKey(name schema.Digest) []byte { return append([]byte(planPrefix), name[:]...) }

func plannedKey(name schema.Digest, tag string) []byte {
	return append(append([]byte(plannedPrefix), name[:]...), tag...)
}

// IsPlanKey reports whether a key of [rows.BucketPodtrack] is of a plan or of a tag of one.
func IsPlanKey(key []byte) bool {
	return bytes.HasPrefix(key, []byte(planPrefix)) || bytes.HasPrefix(key, []byte(plannedPrefix))
}

// planCodec packs and unpacks plans. The fastest level is enough: the specs of a plan are nearly the same.
var planCodec = sync.OnceValues(func() (*codec.Codec, error) { return codec.New(1) })

// AddPlan adds a plan to those of a tag, and returns its name. If it has the tag already, its time and folder
// are set again. planned without a time gets the current one. The tag of a study is its name: it
// replaces an earlier form of the study, unless one of them is registered, which is [ErrStudyTaken].
func (t *Tx) AddPlan(p *runset.Plan, tag string, planned Planned) (name schema.Digest, err error) {
	encoded, err := p.Encode()
	if err != nil {
		return name, err
	}
	name = schema.Name(encoded)
	if planned.Set == 0 {
		planned.Set = t.store.Now().UnixNano()
	}
	if planned.Study = p.Study != nil && p.Study.Name == tag; planned.Study {
		if err := t.admitStudy(name, p.Study, true); err != nil {
			return name, err
		}
	}
	return name, t.putPlan(PlannedTag{name, tag, planned}, encoded)
}

func (t *Tx) putPlan(p PlannedTag, encoded []byte) error {
	t.studies = new(studyIndex)
	if err := ValidateTag(p.Tag); err != nil {
		return err
	}
	if err := p.validate(); err != nil {
		return err
	}
	c, err := planCodec()
	if err != nil {
		return err
	}
	stored, err := c.Pack(encoded)
	if err == nil {
		err = t.rows.Put(rows.BucketPodtrack, planKey(p.Plan), stored) // also replaces a damaged one
	}
	if err != nil {
		return err
	}
	return rows.Write(t.rows, rows.BucketPodtrack, plannedKey(p.Plan, p.Tag), p.Planned)
}

func (p Planned) validate() error {
	if len(p.Folder) > maxFolder || !utf8.ValidString(p.Folder) {
		return fmt.Errorf("a plan with the folder %.100q: %w", p.Folder, ErrInvalid)
	}
	return nil
}

// MergePlan adds another store's plan under a tag. The later of two times is kept. It does not copy the folder,
// whose runs go into the other store.
func (t *Tx) MergePlan(theirs PlannedTag, plan *runset.Plan) (added bool, err error) {
	encoded, err := plan.Encode()
	if err != nil {
		return false, err
	}
	ours, there, err := rows.Read[Planned](t.rows, rows.BucketPodtrack, plannedKey(theirs.Plan, theirs.Tag))
	if err != nil || there && ours.Set >= theirs.Set {
		return false, err
	}
	if theirs.Study {
		if err := checkStudyRow(theirs, plan); err != nil {
			return false, err
		}
		if err := t.admitStudy(theirs.Plan, plan.Study, false); err != nil {
			return false, err
		}
	}
	theirs.Folder = ours.Folder
	return !there, t.putPlan(theirs, encoded)
}

// ReadPlan returns the plan of that name.
func (t *Tx) ReadPlan(name schema.Digest) (*runset.Plan, error) {
	key := planKey(name)
	stored, err := t.rows.Get(rows.BucketPodtrack, key)
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, storeerr.Missing("plan %s", name)
	}
	return decodePlan(key, stored)
}

// ReadPlannedTags returns the tags of all plans, the last set first.
func (t *Tx) ReadPlannedTags() (all []PlannedTag, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketPodtrack, []byte(plannedPrefix)) {
		value, err := rows.Verify(rows.BucketPodtrack, key, row)
		if err != nil {
			return nil, err
		}
		p, err := decodePlanned(key, value)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b PlannedTag) int {
		return cmp.Or(cmp.Compare(b.Set, a.Set), cmp.Compare(a.Tag, b.Tag))
	})
	return all, nil
}

// DropPlan removes a plan from a tag, and the plan itself if it has no other tag. Runs are not removed.
func (t *Tx) DropPlan(name schema.Digest, tag string) error {
	t.studies = new(studyIndex)
	if t.rows.Bucket(rows.BucketPodtrack).Get(plannedKey(name, tag)) == nil {
		return storeerr.Missing("plan %.12s of tag %q", name, tag)
	}
	if err := t.rows.Remove(rows.BucketPodtrack, plannedKey(name, tag)); err != nil {
		return err
	}
	for range t.rows.WithPrefix(rows.BucketPodtrack, plannedKey(name, "")) {
		return nil
	}
	return t.rows.Remove(rows.BucketPodtrack, planKey(name))
}

// CheckPaired returns an error for the row of a plan without a tag, of a tag whose plan is missing, or of a study whose
// plan is another one or whose name a later study has.
func (t *Tx) CheckPaired(key []byte) error {
	if t.isPaired(key) {
		return t.checkStudyKey(key)
	}
	if name, ok := bytes.CutPrefix(key, []byte(planPrefix)); ok {
		return storeerr.Damaged("plan %x has no tag", name)
	}
	rest, n := key[len(plannedPrefix):], len(schema.Digest{})
	return storeerr.Damaged("plan %x of tag %q is missing", rest[:n], rest[n:])
}

// isPaired reports whether the plan of the row has a tag, or the tag of the row has a plan. For other rows it
// returns true.
func (t *Tx) isPaired(key []byte) bool {
	if !IsPlanKey(key) {
		return true
	}
	if name, ok := bytes.CutPrefix(key, []byte(planPrefix)); ok {
		if len(name) != len(schema.Digest{}) {
			return true
		}
		for range t.rows.WithPrefix(rows.BucketPodtrack, plannedKey(schema.Digest(name), "")) {
			return true
		}
		return false
	}
	rest := bytes.TrimPrefix(key, []byte(plannedPrefix))
	return len(rest) <= len(schema.Digest{}) ||
		t.rows.Bucket(rows.BucketPodtrack).Get(planKey(schema.Digest(rest[:len(schema.Digest{})]))) != nil
}

// decodePlan decodes a verified row of a plan.
func decodePlan(key, stored []byte) (*runset.Plan, error) {
	damaged := rows.DamagedError(rows.BucketPodtrack, key)
	name := bytes.TrimPrefix(key, []byte(planPrefix))
	if len(name) != len(schema.Digest{}) {
		return nil, damaged
	}
	if _, size, _, err := codec.Parse(stored); err != nil || size > runset.MaxPlanBytes {
		return nil, fmt.Errorf("%w: a plan of %d bytes", damaged, size)
	}
	c, err := planCodec()
	if err != nil {
		return nil, err
	}
	encoded, err := c.Decode(schema.Digest(name), stored)
	if errors.Is(err, memory.ErrNotEnough) {
		return nil, err
	}
	var p *runset.Plan
	if err == nil {
		p, err = runset.DecodePlan(encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", damaged, err)
	}
	return p, nil
}

// decodePlanned decodes a verified row of a tag of a plan.
func decodePlanned(key, value []byte) (p PlannedTag, err error) {
	rest := bytes.TrimPrefix(key, []byte(plannedPrefix))
	if len(rest) <= len(p.Plan) || ValidateTag(string(rest[len(p.Plan):])) != nil {
		return p, rows.DamagedError(rows.BucketPodtrack, key)
	}
	p.Plan, p.Tag = schema.Digest(rest[:len(p.Plan)]), string(rest[len(p.Plan):])
	if p.Planned, err = rows.Decode[Planned](rows.BucketPodtrack, key, value); err != nil {
		return p, err
	}
	if err := p.validate(); err != nil {
		return p, fmt.Errorf("%w: %w", rows.DamagedError(rows.BucketPodtrack, key), err)
	}
	return p, nil
}

// validatePodtrackRow validates a plan, a tag of one, or a part of an evaluation. It accepts other rows of the bucket,
// which later versions may add.
func validatePodtrackRow(key, value []byte) (err error) {
	switch {
	case isPartKey(key):
		return validatePartRow(key, value)
	case bytes.HasPrefix(key, []byte(planPrefix)):
		_, err = decodePlan(key, value)
	case bytes.HasPrefix(key, []byte(plannedPrefix)):
		_, err = decodePlanned(key, value)
	}
	return err
}
