package runner

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// ContinueOlder returns the plan under the older numerics version with which its runs were begun
// in the store, unless all of them are complete there. All runs of a plan have one version, so that
// they can be compared. It prints which version is taken. Call it only if the user names none.
func ContinueOlder(c *cli.Context, store *tracker.Store, p *sweep.Plan) (*sweep.Plan, error) {
	older, done, err := p.FindOlder(c.Context, store)
	switch there := done.Runs - done.Missing; {
	case err != nil || older == 0:
		return p, err
	case done.Complete == done.Runs:
		fmt.Fprintf(c.App.ErrWriter, "the store has %s, complete with numerics version %d; with version %d, "+
			"the default, this is new\n", cmdline.Plural(there, "such run"), older, p.Specs[0].Numerics)
		return p, nil
	case done.Runs == 1:
		fmt.Fprintf(c.App.ErrWriter, "this run was begun with numerics version %d and goes on with it; "+
			"--numerics %d makes a new one\n", older, p.Specs[0].Numerics)
	default:
		fmt.Fprintf(c.App.ErrWriter, "%d of these %d runs were begun with numerics version %d: all are made with it; "+
			"--numerics %d makes new ones\n", there, done.Runs, older, p.Specs[0].Numerics)
	}
	return p.Under(older), nil
}
