package command

import (
	"cmp"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"

	"github.com/urfave/cli/v2"
)

// printVersions prints the versions of the program, its store format and its numerics.
func printVersions(c *cli.Context) error {
	v := replay.CurrentVersions()
	changes := ""
	if v.Dirty {
		changes = " with changes"
	}
	return cmdline.Answer{JSON: v, Text: func(w table.Text) {
		fmt.Fprintf(w, "podtrack %s\nstore format %d, numerics %d\n%s %s/%s %s\nrevision %s%s\n",
			cmp.Or(v.Version, develVersion), v.Format, v.Numerics, v.Go, v.OS, v.Arch, v.Level,
			cmp.Or(v.Revision, "unknown"), changes)
	}}.Print(c)
}
