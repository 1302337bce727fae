package sweep

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay/sweep"
)

// continueOlder takes the numerics version of the folder's plan, or that with which the sweep's
// runs were begun in the store, if it is older than the default. inFolder means that the sweep has
// a folder even if the user names none.
func (s *sweepRun) continueOlder(inFolder bool) error {
	inFolder = inFolder && !s.IsSet("folder") // whose name follows from the plan
	if s.folder.Path != "" && s.folder.CheckExists() == nil {
		older, found := s.folder.MatchOlder(s.plan)
		s.take(older, found)
		return nil
	}
	for n := s.plan.Specs[0].Numerics - 1; inFolder && n >= 1; n-- {
		older := s.plan.Under(n)
		path, err := defaultFolder(s.Context, older)
		if err != nil {
			return err
		}
		if folder := (sweep.Folder{Path: path}); folder.CheckExists() == nil {
			s.folder = folder
			s.take(older, true)
			return nil
		}
	}
	older, err := runner.ContinueOlder(s.Context, cmdline.OpenStore(s.Context), s.plan)
	if err == nil && inFolder && older != s.plan {
		s.folder.Path, err = defaultFolder(s.Context, older)
	}
	s.plan = older
	return err
}

// take sets the plan to that of the folder, and prints its numerics version if it is older.
func (s *sweepRun) take(p *sweep.Plan, isOlder bool) {
	if s.plan = p; isOlder {
		fmt.Fprintf(s.App.ErrWriter, "%s has this sweep with numerics version %d, with which it goes on\n",
			s.folder.Path, p.Specs[0].Numerics)
	}
}
