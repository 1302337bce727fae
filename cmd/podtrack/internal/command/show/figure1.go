package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/run/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce figure1", Place: 2,
	Example: "podtrack reproduce figure1 -o figure1.svg",
	Usage:   "draw the walks of Figure 1, with primitive actions and with options, under both observabilities",
	Description: `Makes the runs of a seed as the study figure1, and draws what this does:

   podtrack plot walk study=figure1 variant=as-published

The paper does not give the seed or the reading of its walks; the means of its Table 1 are
consistent with as-published.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f figure1
		return append([]cli.Flag{cmdline.StoreFlag(), f.ParallelFlag(),
			cmdline.Flag(&f.seed, "seed", "of the walks"),
			&cli.StringFlag{Name: "reading", Value: "as-published", Destination: &f.reading,
				Usage: "of the walks: " + strings.Join(schema.Readings(), " or ")},
		}, f.out.flags()...), f.reproduce
	},
})

// figure1 is the command reproduce figure1, with its flags.
type figure1 struct {
	runner.Flags
	seed    uint64
	reading string
	out     Picture
}

func (f *figure1) reproduce(c *cli.Context) error {
	err := cmdline.NoArgs(c, "the runs are the paper's; podtrack plot walk draws others")
	if err == nil && !slices.Contains(schema.Readings(), f.reading) {
		err = schema.Hint(fmt.Errorf("--reading: invalid value %q", f.reading), "%s",
			textfmt.DidYouMean(f.reading, "readings", schema.Readings()))
	}
	if err == nil {
		err = f.out.parse(c)
	}
	if err == nil {
		err = sweep.MakePaperRuns(c, f.Flags, "figure1", strconv.FormatUint(f.seed, 10))
	}
	if err != nil {
		return err
	}
	q := requestOf(c, walk, f.out)
	q.Args = []string{"study=figure1", "variant=" + f.reading}
	drawn, err := read(c.Context, q)
	if err == nil {
		err = f.out.Write(c, drawn)
	}
	return cmdline.StoppedExport(err)
}
