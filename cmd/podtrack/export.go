package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/schema"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write runs as arrays that numpy.load reads",
		ArgsUsage: "RUN… | FILTER",
		Flags: []cli.Flag{
			storeFlag(),
			&cli.StringFlag{Name: "format", Value: "npz", Usage: "the only one so far is npz"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`"},
			&cli.StringFlag{Name: "only", Usage: "write only the arrays in `LIST`: " + strings.Join(export.Arrays, ", ")},
			&cli.BoolFlag{Name: "force", Usage: "replace the file if there is one"},
		},
		Action: exportRuns,
	}
}

func exportRuns(c *cli.Context) error {
	if err := someArgs(c); err != nil {
		return err
	}
	if f := c.String("format"); f != "npz" {
		return schema.Hint(fmt.Errorf("unknown format %q", f), "the only format so far is npz")
	}
	only, err := parseOnly(c.String("only"))
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		return schema.Hint(errors.New("export to which file?"), "add -o FILE.npz")
	}
	runs, err := selectRuns(c)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return noRuns(c.Args().Slice())
	}
	return writeWhole(path, c.Bool("force"), func(f *os.File) error {
		return export.NPZ(c.Context, openStore(c), runs, only, f)
	})
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
