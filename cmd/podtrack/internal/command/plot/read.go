package plot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func plotWalk(c *cli.Context, p picture) (figure.Figure, error) {
	parts, primitive, err := openTracks(c)
	if err != nil {
		return nil, err
	}
	return figure.ReadWalks(c.Context, parts, primitive, p.columns())
}

func plotCoverage(c *cli.Context, p picture) (figure.Figure, error) {
	parts, primitive, err := openTracks(c)
	if err != nil {
		return nil, err
	}
	return figure.ReadCoverage(c.Context, parts, primitive, p.columns())
}

// openTracks opens the parts of a figure over time.
func openTracks(c *cli.Context) (parts []figure.Source, primitive bool, err error) {
	if parts, err = openParts(c); err == nil {
		primitive, err = parseAgainst(c, len(parts))
	}
	return parts, primitive, err
}

func plotSpectrum(c *cli.Context, _ picture) (figure.Figure, error) {
	part, err := openPart(c)
	if err != nil {
		return nil, err
	}
	return figure.ReadSpectrum(c.Context, part)
}

func plotPurposes(c *cli.Context, _ picture) (figure.Figure, error) {
	part, err := openPart(c)
	if err != nil {
		return nil, err
	}
	return figure.ReadPurposes(c.Context, part)
}

// openPart opens the single run or iteration that a figure takes.
func openPart(c *cli.Context) (figure.Source, error) {
	if c.NArg() != 1 {
		return figure.Source{}, plotTakes(c)
	}
	parts, err := openParts(c)
	if err != nil {
		return figure.Source{}, err
	}
	if len(parts) != 1 {
		return figure.Source{}, schema.Hint(fmt.Errorf("%s are %d runs", c.Args().First(), len(parts)),
			"plot %s takes one; podtrack ls %s lists them", c.Command.Name, schema.ShellQuote(c.Args().First()))
	}
	return parts[0], nil
}

func plotOption(c *cli.Context, p picture) (figure.Figure, error) {
	part, ref, err := openOption(c)
	if err != nil {
		return nil, err
	}
	window, err := parseStates(c)
	if err != nil {
		return nil, err
	}
	if plan, err := figure.ReadGridOption(c.Context, part, ref.J, ref.Sign); plan != nil || err != nil {
		if err == nil && window != nil {
			err = schema.Hint(fmt.Errorf("--states of an option on a map"),
				"leave it out; --format csv has the states one by one")
		}
		return plan, err
	}
	return figure.ReadOption(c.Context, part, ref.J, ref.Sign, window, p.bins())
}

// parseStates returns the window of states to show, nil for all.
func parseStates(c *cli.Context) (*figure.Window, error) {
	if !c.IsSet("states") {
		return nil, nil
	}
	low, high, _ := strings.Cut(c.String("states"), ":")
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil {
		return nil, schema.Hint(fmt.Errorf("--states %q", c.String("states")),
			"write the lowest and the highest, such as -64:63")
	}
	return &figure.Window{From: from, To: to}, nil
}

// openOption opens the iteration of the single option that a figure takes.
func openOption(c *cli.Context) (part figure.Source, ref report.Ref, err error) {
	if c.NArg() != 1 {
		return part, ref, plotTakes(c)
	}
	if ref, err = report.ParseRef(c.Args().First()); err != nil {
		return part, ref, err
	}
	if ref.J == 0 {
		return part, ref, schema.Hint(fmt.Errorf("%s is no option", c.Args().First()),
			"write RUN:K/J+ or RUN:K/J-; podtrack options %s lists them", schema.ShellQuote(ref.Run))
	}
	run, err := diff.Open(c.Context, cmdline.OpenStore(c), ref.Run)
	return figure.Source{Run: run, K: ref.K}, ref, err
}

func plotTable1(c *cli.Context, _ picture) (figure.Figure, error) {
	if c.NArg() > 0 {
		return nil, schema.Hint(errors.New("plot table1 takes no runs: they are the paper's"),
			"podtrack plot table1 --runs N takes seeds 0 to N − 1")
	}
	runs, err := runner.ParseRuns(c)
	if err != nil {
		return nil, err
	}
	var f figure.Table1
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		f.Measured, err = table1.Measure(tx, runs)
		return err
	})
	if errors.Is(err, tracker.ErrMissing) {
		err = schema.Hint(err, "podtrack reproduce table1 --runs %d makes the runs that are not there", runs)
	}
	return f, err
}
