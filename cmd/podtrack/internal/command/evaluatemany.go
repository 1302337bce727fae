package command

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// asksMany reports whether many tasks, or several runs, are to be evaluated.
func asksMany(c *cli.Context) bool {
	if evaluate.IsRewardTask(c.String("task")) {
		return false
	}
	return c.IsSet("pairs") || evaluate.IsManyTasks(c.String("task")) || c.NArg() > 1 ||
		c.NArg() == 1 && report.IsTerm(c.Args().First())
}

// evaluateMany evaluates options on many tasks, or those of several runs.
func evaluateMany(c *cli.Context, format string) error {
	if c.Bool("diffusion") {
		return schema.Hint(errors.New("--diffusion beside many tasks or runs: it is about the options of one iteration"),
			"leave --diffusion out, or give it alone with RUN:K")
	}
	m := manyEvaluation{c: c}
	if err := m.open(); err != nil {
		return err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "evaluate")
	err := m.evaluate(bar)
	bar.Stop()
	if err != nil {
		return manyError(err)
	}
	s := m.sum.Summary()
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, evaluate.SummaryDocument{Summary: s})
	}
	return printSummary(c.App.Writer, s, m.first, format)
}

// manyError returns err; for an interruption, an error that says what is kept.
func manyError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; the tasks that were finished are kept", replay.ErrInterrupted),
			"the same command continues from them")
	}
	return err
}

// manyEvaluation evaluates the options of runs one after another.
type manyEvaluation struct {
	c     *cli.Context
	runs  []report.Run // nil for one run, whose subject is first
	first *evaluate.Subject
	spec  schema.EvaluationSpec
	sum   evaluate.Summing
}

// open finds the runs, which have one environment, and parses the tasks in it.
func (m *manyEvaluation) open() (err error) {
	c := m.c
	if c.NArg() == 1 && !report.IsTerm(c.Args().First()) {
		m.first, err = openSubject(c)
	} else if err = cmdline.SomeArgs(c); err == nil {
		err = m.openRuns()
	}
	if err == nil {
		m.spec, err = parseEvaluation(c, m.first)
	}
	return err
}

func (m *manyEvaluation) openRuns() (err error) {
	if m.runs, err = cmdline.SelectSomeRuns(m.c); err != nil {
		return err
	}
	if k := m.c.Int("iteration"); m.c.IsSet("iteration") {
		if err := cmdline.CheckIteration(&k, m.runs); err != nil {
			return err
		}
	}
	if first := m.runs[0]; first.Spec.Env.External != nil && len(m.runs) > 1 {
		return schema.Hint(fmt.Errorf("evaluate takes one run of an external environment, and here are %d of %q: each "+
			"knows the states that it observed itself, and they have no tasks in common", len(m.runs), first.Env),
			"name one of them, such as %s; podtrack ls lists them", textform.ShellQuote(first.Label()))
	}
	for _, r := range m.runs[1:] {
		if !reflect.DeepEqual(r.Source.Spec.Env, m.runs[0].Source.Spec.Env) {
			return schema.Hint(fmt.Errorf("%w: runs %s and %s are in different environments, which have no tasks in common",
				schema.ErrSpec, m.runs[0].Label(), r.Label()), "add terms to the filter, such as env=grid or map=four-rooms")
		}
	}
	m.first, err = m.subject(m.runs[0].Source)
	return err
}

// subject opens the iteration of a run that is evaluated.
func (m *manyEvaluation) subject(run tracker.Run) (*evaluate.Subject, error) {
	k, err := parseIteration(m.c)
	if err != nil {
		return nil, err
	}
	return evaluate.Open(m.c.Context, cmdline.OpenStore(m.c), run, evaluate.Choice{Iteration: k, All: m.c.Bool("all")})
}

// evaluate evaluates run after run, each on all processors.
func (m *manyEvaluation) evaluate(bar *cmdline.Bar) error {
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
			if s, err = m.subject(r.Source); err != nil {
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

// add adds the evaluation of a run's options: the recorded one if there is one.
func (m *manyEvaluation) add(s *evaluate.Subject, label string, show func(done, total int)) error {
	found, err := s.Find(m.c.Context, m.spec)
	if err != nil {
		return err
	}
	recorded := found != nil
	if !recorded {
		e, err := s.Complete(m.c.Context, m.spec, show)
		if err != nil {
			return err
		}
		found = &e
	}
	return m.sum.Add(s, *found, recorded, label)
}
