package run

import (
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

// stageCheck is the command run check, with its flags.
type stageCheck struct{ runner.Flags }

var _ = cmdline.Register(cmdline.Command{
	Name:    "run check",
	Example: "podtrack run check --select 'exec:python3 stages.py' --bits 6",
	JSON:    []any{external.StageConformance{}},
	Usage:   "try out programs of stages",
	Description: `Each program is asked what it is asked in the first two iterations of a run with these
flags: twice, and in another process in another order. Its answers have to be well-formed,
within what podtrack demands of them, and the same bits each time. Nothing is written.
Exits 1 unless they are. Stages without a program are built in.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var k stageCheck
		return append([]cli.Flag{cmdline.JsonFlag(), table.FormatFlag(), k.TimeoutFlag(),
				k.SpecFileFlag()}, k.SpecFlags()...), cmdline.Interruptible(cmdline.Answering(k.check), "a check changes nothing",
				"rerun the command to start again")
	},
})

func (s *stageCheck) check(c *cli.Context) (a cmdline.Answer, err error) {
	stages := strings.Join(schema.ExternalStages(), " exec:CMD, --")
	if err := cmdline.NoArgs(c, "say which stage it is: --"+stages+" exec:CMD"); err != nil {
		return a, err
	}
	spec, programs, err := s.ParseCheckedSpec(c)
	if err != nil {
		return a, err
	}
	found, err := external.CheckStages(c.Context, programs, spec)
	return runner.AnswerChecks(found, found.Checks, "replay/external/STAGES.md says what a program has to do"), err
}
