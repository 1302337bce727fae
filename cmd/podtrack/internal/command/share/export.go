// Package share has the commands that carry runs out of the store and into it: export, merge and backup.
package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

type exportFormat struct {
	name   string
	ending string   // of its files
	parts  string   // what the file's parts are called, "" if it cannot be split
	only   []string // the parts that --only may name
	stdout bool     // whether it can be written to standard output
	shown  string   // the --format of podtrack show that prints it, in place of write and build
	write  func(ctx context.Context, store *tracker.Store, runs []report.Run, chosen export.Options, w io.Writer) error
	build  func(ctx context.Context, store *tracker.Store, runs []report.Run, path string) error // instead of write
}

var exportFormats = []exportFormat{
	{name: "npz", ending: ".npz", parts: "arrays", only: export.Arrays, write: export.WriteNPZ},
	{name: "csv", ending: ".csv", parts: "tables", only: export.Tables, stdout: true, write: writeCSV},
	{name: "bundle", ending: ".db", build: runner.BuildBundle},
	{name: "html", ending: ".html", stdout: true, shown: table.HTML},
}

var _ = cmdline.Register(cmdline.Command{
	Name: "export", Group: cmdline.GroupShare, Place: 1,
	Example: "podtrack export ring0 --format npz -o ring0.npz",
	Usage:   "write runs as arrays that numpy.load reads, as tidy CSV, or as a store of their own",
	Args:    "RUN… | FILTER",
	Description: `An npz file has the arrays of the runs, named K/ARRAY, or RUN/K/ARRAY for several
runs, RUN being the name or the short ID. Its array podtrack.json says in JSON what they are: specs,
names, seeds, versions, and of each array shape, type, meaning and unit. A csv file has measures or
options. A bundle is a store that holds those runs alone: every command works on it, and podtrack
merge takes it back.
An html file is the document that podtrack show RUN --format html prints, of an option RUN:#N podtrack why,
of study=NAME podtrack compare, of other runs podtrack ls: tables and figures that a browser shows
without podtrack; other commands with that flag print theirs.
In csv, text that a spreadsheet would compute, such as =A1, begins with an apostrophe. A file that
--force replaces keeps its mode.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var names, parts []string
		for _, f := range exportFormats {
			names = append(names, f.name)
			if f.parts != "" {
				parts = append(parts, fmt.Sprintf("of %s the %s %s", f.name, f.parts, strings.Join(f.only, ", ")))
			}
		}
		var x exporting
		return []cli.Flag{
			cmdline.StoreFlag(),
			cmdline.Optional(&x.format, "format", "write `F`: "+strings.Join(names, ", "),
				"by the file's ending: .npz, .csv, .db, .html"),
			cmdline.Optional(&x.file, "o", "write to `FILE`; csv and html are printed without it", ""),
			cmdline.Optional(&x.only, "only", "write only what is in `LIST`: "+strings.Join(parts, "; "), ""),
			cmdline.Optional(&x.iterations, "iterations",
				"write only the iterations in `LIST` to an npz file: 3, 0-2 or 0-2,5", ""),
			cmdline.Flag(&x.mappable, "mappable", "write an npz file without compression, its arrays aligned, so that "+
				"they can be mapped into memory"),
			cmdline.Flag(&x.force, "force", "replace the file if it exists"),
		}, x.export
	},
})

type exporting struct {
	format, file, only, iterations *string
	mappable, force                bool
}

func (e *exporting) export(c *cli.Context) error {
	if err := cmdline.SomeArgs(c); err != nil {
		return err
	}
	path := ""
	if e.file != nil {
		path = *e.file
	}
	format, err := e.chooseFormat(path)
	if err != nil {
		return err
	}
	chosen, err := e.options(c, format)
	if err != nil {
		return err
	}
	store := cmdline.OpenStore(c)
	if path == "-" && format.stdout {
		path = ""
	} else if path == "-" || path == "" && (!format.stdout || e.file != nil) {
		return schema.Hint(errors.New("export needs a file"), "add -o FILE")
	}
	if path != "" && tracker.SameFile(store, tracker.New(path, tracker.Options{})) {
		return schema.Hint(fmt.Errorf("%s is the store itself", path), "choose another file")
	}
	var runs []report.Run
	command := documentedBy(c.Args().Slice())
	if format.shown == "" || command == "" {
		if runs, err = cmdline.SelectSomeRuns(c); err != nil {
			return cmdline.StoppedExport(err)
		}
	}
	if !slices.ContainsFunc(c.Args().Slice(), func(arg string) bool { return !report.IsTerm(arg) }) {
		slices.Reverse(runs) // a filter finds the newest first
	}
	if format.shown != "" {
		format.write = func(_ context.Context, _ *tracker.Store, runs []report.Run, _ export.Options, w io.Writer) error {
			switch {
			case command != "":
			case len(runs) == 1:
				command = "show"
			default:
				command = "ls"
			}
			words := append([]string{command}, c.Args().Slice()...)
			return cmdline.Execute(c, c.Context, w, append(words, "--format", format.shown)...)
		}
	}
	if path == "" {
		return format.write(c.Context, store, runs, chosen, c.App.Writer)
	}
	return cmdline.StoppedExport(cmdline.WriteAtomic(c.App.ErrWriter, path, e.force, func(temp string) error {
		if format.build != nil {
			return format.build(c.Context, store, runs, temp)
		}
		return cmdline.WriteFile(func(f *os.File) error { return format.write(c.Context, store, runs, chosen, f) })(temp)
	}))
}

// documentedBy returns the command whose document is that of a study or an option, "" for runs.
func documentedBy(args []string) string {
	if len(args) != 1 {
		return ""
	}
	if strings.HasPrefix(args[0], "study=") && len(report.SplitSelection(args)) == 1 {
		return "compare"
	}
	if _, err := report.ParseRefOf(args[0], report.RefOption); err == nil {
		return "why"
	}
	return ""
}

// chooseFormat returns the format that --format names, or that the file's ending stands for: the first format for a
// file without an ending.
func (e *exporting) chooseFormat(path string) (exportFormat, error) {
	ending := strings.ToLower(filepath.Ext(path))
	at := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.ending == ending })
	if e.format != nil {
		f, err := findExportFormat(*e.format)
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
	return exportFormat{}, schema.Hint(fmt.Errorf("%s: unknown file ending", path),
		"the file may end in .npz, .csv, .db or .html; or add --format npz, csv, bundle or html")
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
		textfmt.DidYouMean(name, "formats", names))
}

func (e exportFormat) parseOnly(list string) ([]string, error) {
	if list == "" {
		return nil, schema.Hint(errors.New("--only is empty"), "name what to write, or leave it out for all")
	}
	if e.parts == "" {
		return nil, schema.Hint(fmt.Errorf("--only with a %s", e.name), "a %s has all of its runs", e.name)
	}
	only := strings.Split(list, ",")
	for _, name := range only {
		if !slices.Contains(e.only, name) {
			return nil, schema.Hint(fmt.Errorf("%s has no %s %q", e.name, strings.TrimSuffix(e.parts, "s"), name),
				"the %s are %s", e.parts, strings.Join(e.only, ", "))
		}
	}
	return only, nil
}

func writeCSV(ctx context.Context, s *tracker.Store, runs []report.Run, chosen export.Options, w io.Writer) error {
	return export.CSV(ctx, s, runs, chosen.Only, w)
}

// options returns what the flags choose to be written in a format.
func (e *exporting) options(c *cli.Context, f exportFormat) (chosen export.Options, err error) {
	if e.only != nil {
		if chosen.Only, err = f.parseOnly(*e.only); err != nil {
			return chosen, err
		}
	}
	if flag := cmdline.FirstSet(c, "iterations", "mappable"); flag != "" && f.name != "npz" {
		return chosen, schema.Hint(fmt.Errorf("--%s with %s", flag, f.name), "it is for --format npz")
	}
	chosen.Mappable = e.mappable
	if e.iterations != nil {
		chosen.Iterations, err = parseIterations(*e.iterations)
	}
	return chosen, err
}

// maxIterations bounds a list of iterations, which memory has to hold.
const maxIterations = 1 << 20

// parseIterations reads a list such as 0-2,5, and returns it in ascending order.
func parseIterations(list string) (all []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err := errors.Join(err1, err2); err != nil || last < first {
			return nil, schema.Hint(fmt.Errorf("--iterations: invalid value %q", list), "write iterations as 3, 0-2 or 0-2,5")
		}
		if uint64(len(all))+last-first >= maxIterations {
			return nil, schema.Hint(fmt.Errorf("--iterations %q: too many", list), "list up to %d iterations", maxIterations)
		}
		for k := first; k <= last; k++ {
			all = append(all, int(k))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
