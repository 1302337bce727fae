package why

import (
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

const (
	// quickRows is the number of rows for which the first stage looks up the steps.
	quickRows = 10

	// quickSteps is the largest number of steps that it reads, so that it answers at once whatever the size of a
	// run.
	quickSteps = 1 << 22
)

// findFirstSteps looks up the first steps with the rows of most weight. Those beyond the first quickSteps are found
// later, when all steps are counted.
func (a *audit) findFirstSteps() error {
	if !a.hasModel() || a.hasMatrix() {
		return nil
	}
	a.rows = a.newRowsOfD()
	top := a.out.Evidence[:min(len(a.out.Evidence), quickRows)]
	missing, wanted := map[int]int64{}, int64(0) // number of steps to find, by row
	for _, e := range top {
		n := min(e.Count, shownSteps)
		missing[a.rows.of(schema.NewSparseRow(e.Row))] = n
		wanted += n
	}
	found, seen := newStepCounts(), 0
	for k := a.firstOf(a.k); k <= a.k && wanted > 0 && seen < quickSteps; k++ {
		err := a.run.VisitStepsWhile(k, func(s recorded.Step) bool {
			seen++
			if row := a.rows.step(s); missing[row] > 0 {
				missing[row]--
				wanted--
				found.addExample(row, newStepRef(k, s))
			}
			return wanted > 0 && seen < quickSteps
		})
		if err != nil {
			return a.run.WrapError(k, err)
		}
	}
	a.data = found
	if err := a.readNames(found); err != nil {
		return err
	}
	a.addSteps(top)
	return nil
}

// addSteps adds to evidence the first steps with its row.
func (a *audit) addSteps(list []Evidence) {
	for i, e := range list {
		if a.data != nil && a.rows != nil {
			list[i].Steps = a.firstSteps(e.Row)
		}
	}
	a.nameSteps(list)
}

// nameSteps names the sources of the steps of evidence.
func (a *audit) nameSteps(list []Evidence) {
	for i, e := range list {
		list[i].Steps = []StepRef{}
		for _, s := range e.Steps {
			s.Executing, s.Number = a.nameOf(s.source, executing), nil
			if s.source >= 0 {
				s.Number = &s.source
			}
			list[i].Steps = append(list[i].Steps, s)
		}
	}
}
