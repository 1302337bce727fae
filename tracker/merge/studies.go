package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// A StudyReport is the result of [CopyStudies].
type StudyReport struct {
	Added   int      `json:"studies"`         // studies that are new in the target
	Refused []string `json:"refused_studies"` // reasons for which studies were not copied
}

// CopyStudies copies the studies of the source for whose names wanted returns true, or all if wanted is nil, to another
// store. A study that cannot be read, or whose name another one has there, is reported; the others are copied.
func CopyStudies(
	ctx context.Context, from, to *tracker.Store, wanted func(name string) bool,
) (r StudyReport, err error) {
	var names []string
	err = from.View(ctx, func(tx *tracker.Tx) error {
		names = tx.StudyNames()
		return nil
	})
	if wanted != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !wanted(name) })
	}
	for _, name := range names {
		if err == nil {
			err = r.copyStudy(ctx, from, to, name)
		}
	}
	return r, err
}

func (s *StudyReport) copyStudy(ctx context.Context, from, to *tracker.Store, name string) error {
	var p *runset.Plan
	err := from.View(ctx, func(tx *tracker.Tx) (err error) {
		p, _, err = tx.ReadStudy(name)
		return err
	})
	if err == nil {
		added := false
		err = to.Update(ctx, func(tx *tracker.Tx) (err error) {
			added, err = tx.MergeStudy(p)
			return err
		})
		if added && err == nil {
			s.Added++
		}
	}
	for _, refusal := range []error{tracker.ErrDamaged, tracker.ErrMissing, tracker.ErrStudyTaken} {
		if errors.Is(err, refusal) {
			s.Refused = append(s.Refused, err.Error())
			return nil
		}
	}
	return err
}
