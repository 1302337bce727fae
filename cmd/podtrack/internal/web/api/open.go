package api

import (
	"cmp"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxStates bounds what is read at once of an environment: 32 MiB of values.
const maxStates = 1 << 22

// open returns the run that a reference names. It fails if the run is too large for a
// page.
func (s *server) open(r *request, ref string) (*recorded.Records, error) {
	runs, err := s.named(r, ref)
	if err == nil {
		err = tooLarge(runs[0])
	}
	if err != nil {
		return nil, err
	}
	return recorded.Open(s.Store.Within(r.Context()), runs[0].Source)
}

// openToCompare opens a run like open, for package diff.
func (s *server) openToCompare(r *request, ref string) (*diff.Side, error) {
	run, err := s.open(r, ref)
	if err != nil {
		return nil, err
	}
	return diff.New(run)
}

// checkServed returns an error for more runs than are compared at once, and for one that is too large.
func checkServed(runs []report.Run, most int) error {
	err := tooMany(len(runs), "runs", most)
	for _, run := range runs {
		if err = cmp.Or(err, tooLarge(run)); err != nil {
			break
		}
	}
	return err
}

// tooLarge returns an error if a run's environment has more than maxStates states.
func tooLarge(r report.Run) error {
	env, err := pod.NewEnvForSpec(r.Spec)
	if err == nil && env.States() > maxStates {
		err = schema.Hint(reply.Errorf(http.StatusConflict,
			"run %s: its environment has %d states, and only up to %d are served", r.Label(), env.States(), maxStates),
			"the command line has no such bound: podtrack show %s, podtrack options %s",
			textfmt.ShellQuote(r.Label()), textfmt.ShellQuote(r.Label()))
	}
	return err
}
