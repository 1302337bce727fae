package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write runs as arrays that numpy.load reads, or as a store of their own",
		ArgsUsage: "RUN… | FILTER",
		Description: `An npz file has the arrays of the runs. A bundle is a store that holds those runs
alone: every command works on it, and podtrack merge takes it back.`,
		Flags: []cli.Flag{
			storeFlag(),
			&cli.StringFlag{Name: "format", Value: "npz", Usage: "write `F`: npz or bundle"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`"},
			&cli.StringFlag{Name: "only", Usage: "npz: write only the arrays in `LIST`: " + strings.Join(export.Arrays, ", ")},
			&cli.BoolFlag{Name: "force", Usage: "replace the file if there is one"},
		},
		Action: exportRuns,
	}
}

// exportFormats are what runs can be written as.
var exportFormats = map[string]func(c *cli.Context, runs []report.Run, only []string, path string) error{
	"npz":    exportNPZ,
	"bundle": exportBundle,
}

func exportRuns(c *cli.Context) error {
	if err := someArgs(c); err != nil {
		return err
	}
	write, ok := exportFormats[c.String("format")]
	if !ok {
		return schema.Hint(fmt.Errorf("unknown format %q", c.String("format")), "the formats are npz and bundle")
	}
	only, err := parseOnly(c.String("only"))
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		return schema.Hint(errors.New("export to which file?"), "add -o FILE")
	}
	if tracker.Same(openStore(c), tracker.New(path, tracker.Options{})) {
		return schema.Hint(fmt.Errorf("%s is the store itself", path), "choose another file")
	}
	runs, err := selectRuns(c)
	if err != nil {
		return stoppedExport(err)
	}
	if len(runs) == 0 {
		return noRuns(c.Args().Slice())
	}
	return stoppedExport(write(c, runs, only, path))
}

// stoppedExport says of an interruption that there is nothing to go on with.
func stoppedExport(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; no file was written", replay.ErrInterrupted), "the same command begins again")
	}
	return err
}

func exportNPZ(c *cli.Context, runs []report.Run, only []string, path string) error {
	return writeWhole(path, c.Bool("force"), writeFile(func(f *os.File) error {
		return export.NPZ(c.Context, openStore(c), runs, only, f)
	}))
}

func parseOnly(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	only := strings.Split(list, ",")
	for _, name := range only {
		if !slices.Contains(export.Arrays, name) {
			return nil, schema.Hint(fmt.Errorf("unknown array %q", name), "the arrays are %s", strings.Join(export.Arrays, ", "))
		}
	}
	return only, nil
}
