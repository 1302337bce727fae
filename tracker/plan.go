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

// A PlannedTag is a plan under a tag. A tag can have several plans, and stands for the runs of all of them. The
// store has no other record of planned runs that have not started.
type PlannedTag struct {
	Plan schema.Digest // the name of the plan: the digest of its encoding
	Tag  string
	Planned
}

// A Planned says when a plan was added to a tag, and where its runs come from.
type Planned struct {
	Set    int64  `cbor:"set"`              // Unix time in nanoseconds
	Folder string `cbor:"folder,omitempty"` // folder that receives the runs of other machines; "" for none
	Study  bool   `cbor:"study,omitempty"`  // the plan is a study, and the tag is its name
}

// maxFolder is the maximum length in bytes of the path of a plan's folder.
const maxFolder = 4096

// Prefixes of keys in [rows.BucketPodtrack].
const (
	planPrefix    = "plan/"    // of a plan; the plan's name follows
	plannedPrefix = "planned/" // of a plan's tag; the plan's name and the tag follow
)

func planKey(name schema.Digest) []byte { return append([]byte(planPrefix), name[:]...) }

func plannedKey(name schema.Digest, tag string) []byte {
	return append(append([]byte(plannedPrefix), name[:]...), tag...)
}

// IsPlanKey reports whether a key of [rows.BucketPodtrack] is that of a plan or of a plan's tag.
func IsPlanKey(key []byte) bool {
	return bytes.HasPrefix(key, []byte(planPrefix)) || bytes.HasPrefix(key, []byte(plannedPrefix))
}

// planCodec packs and unpacks plans. It uses the fastest level: the specs of a plan are nearly identical, so that
// even this level packs them well.
var planCodec = sync.OnceValues(func() (*codec.Codec, error) { return codec.New(1) })

// AddPlan adds a plan to a tag and returns the plan's name. If the plan already has the tag, its time and folder
// are updated. If planned.Set is 0, the time is the current time.
//
// A plan whose study is named like the tag replaces an earlier version of that study. If either of the two is
// registered, the error is [ErrStudyTaken] instead.
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

// putPlan writes the rows of a plan and of its tag.
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
		return fmt.Errorf("plan's folder %.100q: %w", p.Folder, ErrInvalid)
	}
	return nil
}

// MergePlan adds a plan of another store to a tag, unless this store has the same plan under the tag with a later
// time. It keeps this store's folder: the runs in the other store's folder belong to that store. added is true if
// the plan is new under the tag.
func (t *Tx) MergePlan(theirs PlannedTag, plan *runset.Plan) (added bool, err error) {
	encoded, err := plan.Encode()
	if err != nil {
		return false, err
	}
	ours, found, err := rows.Read[Planned](t.rows, rows.BucketPodtrack, plannedKey(theirs.Plan, theirs.Tag))
	if err != nil || found && ours.Set >= theirs.Set {
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
	return !found, t.putPlan(theirs, encoded)
}

// ReadPlan returns the plan with the given name.
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

// ReadPlannedTags returns the tags of all plans, the most recently set first.
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

// DropPlan removes a plan from a tag, and the plan itself if it has no other tag. It removes no runs.
func (t *Tx) DropPlan(name schema.Digest, tag string) error {
	t.studies = new(studyIndex)
	if t.rows.Bucket(rows.BucketPodtrack).Get(plannedKey(name, tag)) == nil {
		return storeerr.Missing("plan %.12s of tag %q", name, tag)
	}
	if err := t.rows.Remove(rows.BucketPodtrack, plannedKey(name, tag)); err != nil {
		return err
	}
	if t.hasTag(name) {
		return nil
	}
	return t.rows.Remove(rows.BucketPodtrack, planKey(name))
}

// hasTag reports whether a plan has a tag.
func (t *Tx) hasTag(name schema.Digest) bool {
	for range t.rows.WithPrefix(rows.BucketPodtrack, plannedKey(name, "")) {
		return true
	}
	return false
}

// CheckPaired returns an error if key is that of a plan without a tag, of a tag whose plan is missing, or of a study
// with a wrong plan or with the name of a later study.
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

// isPaired reports whether the plan with this key has a tag, or the tag with this key has a plan. For other keys
// it returns true.
func (t *Tx) isPaired(key []byte) bool {
	if !IsPlanKey(key) {
		return true
	}
	if name, ok := bytes.CutPrefix(key, []byte(planPrefix)); ok {
		return len(name) != len(schema.Digest{}) || t.hasTag(schema.Digest(name))
	}
	rest := bytes.TrimPrefix(key, []byte(plannedPrefix))
	return len(rest) <= len(schema.Digest{}) ||
		t.rows.Bucket(rows.BucketPodtrack).Get(planKey(schema.Digest(rest[:len(schema.Digest{})]))) != nil
}

// decodePlan decodes the verified row of a plan.
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

// decodePlanned decodes the verified row of a plan's tag.
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

// validatePodtrackRow validates a row of a plan, of a plan's tag, or of a part of an evaluation. It accepts all other
// rows of the bucket, because later versions may add some.
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
