package compare

import (
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// asksMany reports whether many tasks, or several runs, are to be evaluated.
func (e *evaluating) asksMany(c *cli.Context) bool {
	if e.isOfReward() {
		return false
	}
	return e.pairs != nil || e.task != nil && evaluate.IsManyTasks(*e.task) || c.NArg() > 0 && !namesOne(c)
}

// evaluateMany evaluates options on many tasks, or those of several runs.
func (e *evaluating) evaluateMany(c *cli.Context) (a cmdline.Answer, err error) {
	m := manyEvaluation{evaluating: e, c: c}
	if err := m.openAll(); err != nil {
		return a, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "evaluate")
	err = m.evaluateAll(bar)
	bar.Stop()
	if err != nil {
		return a, err
	}
	return answerSummary(m.sum.Summary(), m.first), nil
}

// manyEvaluation evaluates the options of runs one after another.
type manyEvaluation struct {
	*evaluating
	c     *cli.Context
	runs  []report.Run // nil for one run, whose subject is first
	first *evaluate.Subject
	tasks evaluation.Spec
	sum   evaluate.Aggregator
}

// openAll finds the runs, which have one environment, and parses the tasks in it.
func (m *manyEvaluation) openAll() (err error) {
	if namesOne(m.c) {
		m.first, err = m.openSubject(m.c)
	} else {
		err = m.openRuns()
	}
	if err == nil {
		m.tasks, err = m.parse(m.c, m.first)
	}
	return err
}

func (m *manyEvaluation) openRuns() (err error) {
	if err := cmdline.SomeArgs(m.c); err != nil {
		return err
	}
	if m.runs, err = cmdline.SelectSomeRuns(m.c); err != nil {
		return err
	}
	if err := cmdline.CheckIteration(m.iteration, m.runs); err != nil {
		return err
	}
	if first := m.runs[0]; first.Spec.Env.External != nil && len(m.runs) > 1 {
		return schema.Hint(fmt.Errorf("evaluate takes one run of an external environment, not %d of %q: each "+
			"knows only the states that it observed, so they have no tasks in common", len(m.runs), first.Env),
			"name one of them, such as %s; podtrack ls lists them", textfmt.ShellQuote(first.Label()))
	}
	for _, r := range m.runs[1:] {
		if !reflect.DeepEqual(r.Source.Spec.Env, m.runs[0].Source.Spec.Env) {
			return schema.Hint(fmt.Errorf("%w: runs %s and %s are in different environments, which have no tasks in common",
				schema.ErrSpec, m.runs[0].Label(), r.Label()), "add terms to the filter, such as env=grid or map=four-rooms")
		}
	}
	m.first, err = m.open(m.c, m.runs[0].Source, m.iteration)
	return err
}

// evaluateAll evaluates run after run, each on all processors.
func (m *manyEvaluation) evaluateAll(bar *cmdline.Bar) error {
	if m.runs == nil {
		label, err := labelOf(m.c, m.first)
		if err != nil {
			return err
		}
		return m.add(m.first, label, bar.Count)
	}
	for i, r := range m.runs {
		s := m.first
		if i > 0 {
			var err error
			if s, err = m.open(m.c, r.Source, m.iteration); err != nil {
				return err
			}
		}
		err := m.add(s, r.Label(), func(done, total int) {
			bar.Show(int64(i*total+done), int64(len(m.runs)*total), r.Label())
		})
		if err != nil {
			return fmt.Errorf("run %s: %w", r.Label(), err)
		}
	}
	return nil
}

// add adds the evaluation of a run's options.
func (m *manyEvaluation) add(s *evaluate.Subject, label string, show func(done, total int)) error {
	found, recorded, err := findOrComplete(m.c, s, m.tasks, show)
	if err != nil {
		return err
	}
	return m.sum.Add(s, *found, recorded, label)
}
