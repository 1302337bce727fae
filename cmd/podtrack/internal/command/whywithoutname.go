package command

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/tracker"
)

// nameFork returns the name of a fork that is kept: the one that --name gives, or the run's with the option that it
// lacks. It returns "" if the fork has a name already, or if another run has that one.
func nameFork(c *cli.Context, run *diff.Run, job replay.Job, number int) (string, error) {
	if c.IsSet("name") {
		return sweep.ExpandName(c.String("name"), job.Spec)
	}
	name := fmt.Sprintf("%s-without-%d", run.Label(), number)
	if tracker.ValidateName(name) != nil {
		return "", nil // it would be too long
	}
	id, err := job.ID()
	if err != nil {
		return "", err
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		fork, err := tx.ReadAnnotation(id)
		if err == nil && fork.Name != "" {
			name = ""
		}
		if err != nil && !errors.Is(err, tracker.ErrMissing) || name == "" {
			return err
		}
		switch holder, err := tx.Resolve(name); {
		case errors.Is(err, tracker.ErrMissing):
			return nil
		case err != nil:
			return err
		case holder.ID != id:
			name = ""
		}
		return nil
	})
	return name, err
}
