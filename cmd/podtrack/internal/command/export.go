package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// exportFormat is a file format that export writes.
type exportFormat struct {
	name   string
	ending string   // of its files
	parts  string   // what the file's parts are called, "" if it cannot be split
	only   []string // the parts that --only may name
	stdout bool     // whether it can be written to standard output
	write  func(ctx context.Context, store *tracker.Store, runs []report.Run, chosen export.Options, w io.Writer) error
	build  func(ctx context.Context, store *tracker.Store, runs []report.Run, path string) error // instead of write
}

var exportFormats = []exportFormat{
	{name: "npz", ending: ".npz", parts: "arrays", only: export.Arrays, write: export.NPZ},
	{name: "csv", ending: ".csv", parts: "tables", only: export.Tables, stdout: true, write: writeCSV},
	{name: "bundle", ending: ".db", build: buildBundle},
}

func exportCommand() *cli.Command {
	var names, parts []string
	for _, f := range exportFormats {
		names = append(names, f.name)
		if f.parts != "" {
			parts = append(parts, fmt.Sprintf("of %s the %s %s", f.name, f.parts, strings.Join(f.only, ", ")))
		}
	}
	return &cli.Command{
		Name:      "export",
		Usage:     "write runs as arrays that numpy.load reads, as tidy CSV, or as a store of their own",
		ArgsUsage: "RUN… | FILTER",
		Description: `An npz file has the arrays of the runs, named K/ARRAY, or RUN/K/ARRAY for several
runs, RUN being the name or the short ID. Its array podtrack.json says in JSON what they are: specs,
names, seeds, versions, and of each array shape, type, meaning and unit. A csv file has measures or
options. A bundle is a store that holds those runs alone: every command works on it, and podtrack
merge takes it back.
In csv, text that a spreadsheet would compute, such as =A1, begins with an apostrophe. A file that
--force replaces keeps its mode.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(),
			&cli.StringFlag{Name: "format", Usage: "write `F`: " + strings.Join(names, ", "),
				DefaultText: "by the file's ending: .npz, .csv, .db"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`; csv is printed without it"},
			&cli.StringFlag{Name: "only", Usage: "write only what is in `LIST`: " + strings.Join(parts, "; ")},
			&cli.StringFlag{Name: "iterations", Usage: "write only these iterations to an npz file, as 3, 0-2 or 0-2,5"},
			&cli.BoolFlag{Name: "mappable", Usage: "write an npz file without compression, its arrays aligned, so that " +
				"they can be mapped into memory"},
			&cli.BoolFlag{Name: "force", Usage: "replace the file if there is one"},
		},
		Action: exportRuns,
	}
}

func exportRuns(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	format, err := exportFormatOf(c)
	if err != nil {
		return err
	}
	if c.IsSet("only") && c.String("only") == "" {
		return schema.Hint(errors.New("--only of nothing"), "name what to write, or leave it out for all")
	}
	chosen, err := format.parseOptions(c)
	if err != nil {
		return err
	}
	path, store := c.String("o"), cmdline.OpenStore(c)
	if path == "-" && format.stdout {
		path = ""
	} else if path == "-" || path == "" && (!format.stdout || c.IsSet("o")) {
		return schema.Hint(errors.New("export to which file?"), "add -o FILE")
	}
	if path != "" && tracker.SameFile(store, tracker.New(path, tracker.Options{})) {
		return schema.Hint(fmt.Errorf("%s is the store itself", path), "choose another file")
	}
	runs, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return cmdline.StoppedExport(err)
	}
	if !slices.ContainsFunc(c.Args().Slice(), func(arg string) bool { return !report.IsTerm(arg) }) {
		slices.Reverse(runs) // a filter finds the newest first
	}
	if path == "" {
		return format.write(c.Context, store, runs, chosen, c.App.Writer)
	}
	return cmdline.StoppedExport(cmdline.WriteAtomic(c.App.ErrWriter, path, c.Bool("force"), func(temp string) error {
		if format.build != nil {
			return format.build(c.Context, store, runs, temp)
		}
		return cmdline.WriteFile(func(f *os.File) error { return format.write(c.Context, store, runs, chosen, f) })(temp)
	}))
}

// exportFormatOf returns the format that --format names, or that the file's ending stands for: the first format for a
// file without an ending.
func exportFormatOf(c *cli.Context) (exportFormat, error) {
	path := c.String("o")
	ending := strings.ToLower(filepath.Ext(path))
	at := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.ending == ending })
	if c.IsSet("format") {
		f, err := findExportFormat(c.String("format"))
		if err == nil && at >= 0 && exportFormats[at].name != f.name {
			err = schema.Hint(fmt.Errorf("--format %s into %s, whose ending stands for %s", f.name, path,
				exportFormats[at].name), "leave --format out for %s, or name the file %s", exportFormats[at].name,
				strings.TrimSuffix(path, filepath.Ext(path))+f.ending)
		}
		return f, err
	}
	switch {
	case at >= 0:
		return exportFormats[at], nil
	case ending == "":
		return exportFormats[0], nil
	}
	return exportFormat{}, schema.Hint(fmt.Errorf("the ending of %s stands for no format", path),
		"add --format npz, csv or bundle, or let the file end in .npz, .csv or .db")
}

func findExportFormat(name string) (exportFormat, error) {
	var names []string
	for _, f := range exportFormats {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return exportFormat{}, schema.Hint(fmt.Errorf("unknown format %q", name), "%s",
		textform.DidYouMean(name, "formats", names))
}

func (f exportFormat) parseOnly(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	if f.parts == "" {
		return nil, schema.Hint(fmt.Errorf("--only with a %s", f.name), "a %s has all of its runs", f.name)
	}
	only := strings.Split(list, ",")
	for _, name := range only {
		if !slices.Contains(f.only, name) {
			return nil, schema.Hint(fmt.Errorf("%s has no %s %q", f.name, strings.TrimSuffix(f.parts, "s"), name),
				"the %s are %s", f.parts, strings.Join(f.only, ", "))
		}
	}
	return only, nil
}
