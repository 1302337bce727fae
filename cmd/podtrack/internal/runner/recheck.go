package runner

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// recheckEnvs takes the first steps of the jobs' environments in two processes and says whether they differ, if
// --recheck is given. If it is not, it names the environments that were never checked.
func (f *Flags) recheckEnvs(
	c *cli.Context, store *tracker.Store, jobs []replay.Job, launcher replay.EnvLauncher,
) error {
	program, ok := launcher.(*external.Program)
	if !ok || f.recheck == nil {
		return nil
	}
	for _, spec := range externalSpecs(jobs) {
		if err := program.CheckEnv(c.Context, spec.Env); err != nil {
			return err
		}
		if *f.recheck {
			if err := recheckEnv(c, program, spec); err != nil {
				return err
			}
			continue
		}
		found := false // a session with a recheck of the program
		err := store.View(c.Context, func(tx *tracker.Tx) error {
			found = tx.HasRecheck(program.Code(spec.Env))
			return nil
		})
		if !found && (err == nil || errors.Is(err, tracker.ErrNoStore)) {
			cmdline.PrintNotes(c.App.ErrWriter, []string{spec.Env.Name +
				" was never checked: --recheck takes its first steps again in a second process"})
		}
	}
	return nil
}

// externalSpecs returns the spec of the first job in each environment that another process runs, unless the steps are
// a program's: then nothing acts in it.
func externalSpecs(jobs []replay.Job) (specs []schema.Spec) {
	for _, j := range jobs {
		acts := j.Spec.Env.External != nil && j.Spec.Stages.Of(schema.CollectStage) == nil
		if acts && !slices.ContainsFunc(specs, func(other schema.Spec) bool {
			return reflect.DeepEqual(other.Env, j.Spec.Env)
		}) {
			specs = append(specs, j.Spec)
		}
	}
	return specs
}

// recheckEnv takes the first steps of a spec's environment in two processes and says whether they differ.
func recheckEnv(c *cli.Context, program *external.Program, spec schema.Spec) error {
	bar := cmdline.StartLateBar(c.App.ErrWriter, "recheck", 1)
	bar.Begin(0, "recheck")
	found, err := program.Recheck(c.Context, spec)
	bar.End()
	switch {
	case err != nil:
		return err
	case found.Differs != "":
		cmdline.PrintLine(c.App.ErrWriter, "recheck of %s: %s", spec.Env.Name, hints.NotRepeatableText(found))
	default:
		fmt.Fprintf(c.App.ErrWriter, "recheck of %s: %s, the same in a second process\n", spec.Env.Name,
			textfmt.CountOf(found.Steps, "step"))
	}
	return nil
}

// keepRechecks adds what --recheck found to runs that were complete before; those that were worked on have it.
func (f *Flags) keepRechecks(
	c *cli.Context, store *tracker.Store, jobs []replay.Job, launcher replay.EnvLauncher, outcomes []replay.Outcome,
) error {
	program, ok := launcher.(*external.Program)
	if !ok || f.recheck == nil || !*f.recheck {
		return nil
	}
	specs := externalSpecs(jobs)
	for _, o := range outcomes {
		if o.Err != nil || o.Resumed < o.Iterations {
			continue
		}
		err := store.Update(c.Context, func(tx *tracker.Tx) error {
			for _, spec := range specs {
				if err := tx.PutRecheck(o.Run, program.Code(spec.Env)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
