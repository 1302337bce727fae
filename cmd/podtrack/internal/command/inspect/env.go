package inspect

import (
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/envs"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "env", Group: cmdline.GroupInspect, Place: 7,
	Example: "podtrack env",
	JSON:    []any{[]envEntry{}},
	Usage:   "list the environments and their parameters",
	Description: `Lists those that are part of podtrack. Others are programs: --env exec:CMD runs a
command, with quotes as for a shell but without one, and --env gym:NAME an environment of
Gymnasium, with what an agent sees of it behind commas, as in
gym:CartPole-v1,bins=8,range=walk (see podtrack help gymnasium). podtrack run check
tries one out.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		return []cli.Flag{cmdline.JsonFlag(), table.FormatFlag()}, cmdline.Answering(listEnvs)
	},
})

// envEntry is one environment in the output of env.
type envEntry struct {
	Name       string               `json:"name"`
	Version    uint64               `json:"version"`
	Usage      string               `json:"usage"`
	Parameters []envs.Parameter     `json:"parameters"`
	Choices    []envs.TextParameter `json:"choices,omitempty"`
}

func listEnvs(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "podtrack env lists all environments"); err != nil {
		return a, err
	}
	entries := []envEntry{}
	var rows []envRow
	for _, b := range envs.RegisteredEnvs() {
		entries = append(entries, envEntry{b.Name, b.Version, b.Usage, b.Parameters, b.TextParameters})
		rows = append(rows, envRow{Env: b.Name, Flag: "--env " + b.Name, Usage: b.Usage})
		for _, p := range runner.ParametersOf(b) {
			rows = append(rows, envRow{"", strings.Join(hints.FieldWords(p.Name, "VALUE"), " "), p.Default, p.From, p.To,
				p.Usage})
		}
	}
	rows = append(rows,
		envRow{Env: "others", Flag: "--env exec:CMD", Usage: "a program of yours, which podtrack run check tries out"},
		envRow{Flag: "--env gym:NAME",
			Usage: "an environment of Gymnasium, by the python3 that has it ($PODTRACK_PYTHON)"})
	return cmdline.Answer{JSON: entries, Tables: func() table.List { return table.List{table.Of(rows, envColumns...)} }},
		nil
}

// envRow is an environment, or a parameter of the one above.
type envRow struct{ Env, Flag, Default, From, To, Usage string }

var envColumns = []table.Column{
	table.Left("Env").As("environment"), table.Left("Flag").As("flag"),
	table.Right("Default").As("default").Optional(2), table.Right("From").As("from").Optional(1),
	table.Right("To").As("to").Optional(1), table.Left("Usage").As("meaning"),
}
