package command

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
)

func envServeCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "be an environment in another process: answer requests on stdin",
		ArgsUsage: "NAME",
		Description: `Serves an environment of podtrack to another podtrack, which then knows only what it
observes: podtrack run --env 'exec:podtrack env serve grid:four-rooms --slip 200'.
It speaks the protocol of replay/external/PROTOCOL.md, as an example of it.`,
		Flags: append(runner.EnvParameterFlags(), &cli.BoolFlag{Name: "reward",
			Usage: "declare a reward: −1 a step, and where it terminates an episode 0, in the taxi 20"}),
		Action: envServe,
	}
}

func envServe(c *cli.Context) error {
	name, err := cmdline.OneArg(c, "NAME")
	if err != nil {
		return err
	}
	if runner.IsExternal(name) {
		return schema.Hint(fmt.Errorf("env serve %s: that is a program already", name),
			"serve one of %v", pod.EnvNames())
	}
	env, err := runner.ParseServedEnv(c, name)
	if err != nil {
		return err
	}
	served, err := external.NewServed(env)
	if err != nil {
		return err
	}
	if c.Bool("reward") {
		served.DeclareReward()
	}
	return served.Serve(c.Context, os.Stdin, cmdline.RawWriter(c.App.Writer)) // answers may have bytes
}
