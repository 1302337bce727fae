package runner

import (
	"fmt"

	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// ContinueOlder returns the plan under the older numerics version with which its runs were begun
// in the store: the same command is the same run. All runs of a plan have one version, so that they
// can be compared. It prints which version is taken. Call it only if the user names none.
func ContinueOlder(c *cli.Context, store *tracker.Store, p *sweep.Plan) (*sweep.Plan, error) {
	older, done, err := p.FindOlder(c.Context, store)
	switch there := done.Runs - done.Missing; {
	case err != nil || older == 0:
		return p, err
	case done.Runs == 1:
		fmt.Fprintf(c.App.ErrWriter, "this run was begun with numerics version %d and keeps it; "+
			"--numerics %d makes a new one\n", older, p.Specs[0].Numerics)
	default:
		fmt.Fprintf(c.App.ErrWriter, "%d of these %d runs were begun with numerics version %d: all are made with it; "+
			"--numerics %d makes new ones\n", there, done.Runs, older, p.Specs[0].Numerics)
	}
	return p.Under(older), nil
}
