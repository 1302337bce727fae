package runner

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// recheckEnv takes the first steps of the jobs' environment in two processes and says whether they differ, if --recheck
// is given. If it is not, and the environment was never checked, it says that this can be done.
func (f *Flags) recheckEnv(c *cli.Context, store *tracker.Store, jobs []replay.Job, launcher replay.EnvLauncher) error {
	program, ok := launcher.(*external.Program)
	if !ok || f.recheck == nil {
		return nil
	}
	spec := jobs[0].Spec
	if !*f.recheck {
		if !wasChecked(c, store, program.Code(spec.Env)) {
			fmt.Fprintf(c.App.ErrWriter,
				"%s was never checked: --recheck takes its first steps again in a second process\n", spec.Env.Name)
		}
		return nil
	}
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
			cmdline.Plural(found.Steps, "step"))
	}
	return nil
}

// keepRecheck adds what --recheck found to runs that were complete before; those that were worked on have it.
func (f *Flags) keepRecheck(
	c *cli.Context, store *tracker.Store, env schema.Env, launcher replay.EnvLauncher, outcomes []replay.Outcome,
) error {
	program, ok := launcher.(*external.Program)
	if !ok || f.recheck == nil || !*f.recheck {
		return nil
	}
	for _, o := range outcomes {
		if o.Err != nil || o.Resumed < o.Iterations {
			continue
		}
		err := store.Update(c.Context, func(tx *tracker.Tx) error {
			return tx.PutRecheck(o.Run, program.Code(env))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wasChecked reports whether a session in the store has a recheck of the program.
func wasChecked(c *cli.Context, store *tracker.Store, program tracker.Program) (found bool) {
	err := store.View(c.Context, func(tx *tracker.Tx) error {
		found = tx.HasRecheck(program)
		return nil
	})
	return found || err != nil && !errors.Is(err, tracker.ErrNoStore)
}
