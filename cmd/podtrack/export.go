package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// exportFormat is a kind of file that export writes.
type exportFormat struct {
	name   string
	parts  string   // what it consists of
	only   []string // the parts that --only may name
	stdout bool     // it can be printed too
	write  func(ctx context.Context, store *tracker.Store, runs []report.Run, only []string, w io.Writer) error
}

var exportFormats = []exportFormat{
	{"npz", "arrays", export.Arrays, false, export.NPZ},
	{"csv", "tables", export.Tables, true, export.CSV},
}

func exportCommand() *cli.Command {
	var names, parts []string
	for _, f := range exportFormats {
		names = append(names, f.name)
		parts = append(parts, fmt.Sprintf("of %s the %s %s", f.name, f.parts, strings.Join(f.only, ", ")))
	}
	return &cli.Command{
		Name:      "export",
		Usage:     "write runs as arrays that numpy.load reads, or as tidy CSV",
		ArgsUsage: "RUN… | FILTER",
		Flags: []cli.Flag{
			storeFlag(),
			&cli.StringFlag{Name: "format", Value: names[0], Usage: "write `F`: " + strings.Join(names, ", ")},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`; csv is printed without it"},
			&cli.StringFlag{Name: "only", Usage: "write only what is in `LIST`: " + strings.Join(parts, "; ")},
			&cli.BoolFlag{Name: "force", Usage: "replace the file if there is one"},
		},
		Action: exportRuns,
	}
}

func exportRuns(c *cli.Context) error {
	if err := someArgs(c); err != nil {
		return err
	}
	format, err := findExportFormat(c.String("format"))
	if err != nil {
		return err
	}
	only, err := format.parseOnly(c.String("only"))
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" && (!format.stdout || c.IsSet("o")) {
		return schema.Hint(errors.New("export to which file?"), "add -o FILE.%s", format.name)
	}
	runs, err := selectRuns(c)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return noRuns(c.Args().Slice())
	}
	if path == "" {
		return format.write(c.Context, openStore(c), runs, only, c.App.Writer)
	}
	return writeWhole(path, c.Bool("force"), func(f *os.File) error {
		return format.write(c.Context, openStore(c), runs, only, f)
	})
}

func findExportFormat(name string) (exportFormat, error) {
	var names []string
	for _, f := range exportFormats {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return exportFormat{}, schema.Hint(fmt.Errorf("unknown format %q", name), "the formats are %s", strings.Join(names, ", "))
}

func (f exportFormat) parseOnly(list string) ([]string, error) {
	if list == "" {
		return nil, nil
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

// writeWhole writes a file that appears under its name whole, or not at all. One
// that is there already is replaced only by force.
func writeWhole(path string, force bool, write func(*os.File) error) (err error) {
	exists := schema.Hint(fmt.Errorf("%s is there already", path), "choose another file, or replace it with --force")
	if _, err := os.Lstat(path); err == nil && !force {
		return exists
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".podtrack-export-*")
	if err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", path, err), "choose a place that can be written to")
	}
	defer os.Remove(temp.Name())
	err = errors.Join(write(temp), temp.Chmod(0o644), temp.Sync(), temp.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if force {
		return os.Rename(temp.Name(), path)
	}
	if err := os.Link(temp.Name(), path); errors.Is(err, fs.ErrExist) {
		return exists
	} else if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
