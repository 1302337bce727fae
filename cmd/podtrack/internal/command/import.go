package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

const importDescription = `Takes transitions (arrays state and action) or a plain D (array delta) that were
recorded elsewhere as the dataset of iteration 0, and discovers eigenpurposes in
it. Every transition is compared with the environment. A plain D has no
environment: it gives eigenpurposes alone. The digest of the data enters the
run's ID.`

func importCommand() *cli.Command {
	flags := []cli.Flag{
		cmdline.StoreFlag(), cmdline.JsonFlag(),
		&cli.StringFlag{Name: "npz", Usage: "read the arrays of `FILE`, as numpy.savez or podtrack export writes it"},
		&cli.StringFlag{Name: "prefix", Usage: "read the arrays whose names begin with `P`, such as 0/",
			DefaultText: "none, or the only one there is"},
		&cli.StringFlag{Name: "as", Usage: "import them as `KIND`: " + importer.AsTransitions + " or " + importer.AsDelta,
			DefaultText: "transitions where there are any"},
		&cli.StringFlag{Name: "iterations", Usage: "continue until there are `N`", DefaultText: "1"},
		runner.SpecFileFlag(), runner.StageTimeoutFlag(),
		&cli.StringFlag{Name: "name", Usage: "name the run, as for podtrack run"},
		&cli.StringFlag{Name: "note", Usage: "note `TEXT` beside the run", DefaultText: "the file's name and SHA-256"},
	}
	return &cli.Command{
		Name:        "import",
		Usage:       "discover eigenpurposes in data recorded elsewhere",
		Description: importDescription,
		Flags:       append(flags, runner.SpecFlags()...),
		Action:      importData,
	}
}

func importData(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("import takes no argument %q", c.Args().First()), "podtrack import --npz FILE")
	}
	path := c.String("npz")
	if path == "" {
		return schema.Hint(errors.New("import from which file?"), "add --npz FILE")
	}
	job, note, err := importJob(c, path)
	if err != nil {
		return err
	}
	outcomes, err := runner.RunJobs(c, []replay.Job{job}, nil)
	if len(outcomes) == 0 || outcomes[0].Run.IsZero() {
		return err
	}
	noted := annotateImport(c, outcomes[0].Run, note)
	return cmp.Or(err, noted, showOutcomes(c, []replay.Job{job}, outcomes))
}

// importJob reads the file into a job. It checks everything before anything is written.
func importJob(c *cli.Context, path string) (job replay.Job, note string, err error) {
	f, size, err := openRegular(path)
	if err != nil {
		return job, "", schema.Hint(fmt.Errorf("import: %w", err), "name a file that numpy.savez or podtrack export wrote")
	}
	defer f.Close()
	archive, err := importer.Open(f, size)
	if err == nil {
		job, note, err = readData(c, archive)
	}
	if errors.Is(err, context.Canceled) {
		err = schema.Hint(replay.ErrInterrupted, "nothing was written; rerun the command to start again")
	}
	if err != nil {
		return job, "", fmt.Errorf("import %s: %w", path, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return job, "", fmt.Errorf("import %s: %w", path, err)
	}
	return job, fmt.Sprintf("%s of %s, SHA-256 %x", note, filepath.Base(path), sum.Sum(nil)), nil
}

// openRegular opens a regular file, which can be read at any offset, and returns its size.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}

// annotateImport notes the origin of the data, unless the run has a note already.
func annotateImport(c *cli.Context, run schema.Digest, note string) error {
	ctx, cancel := cmdline.ShutdownContext(c.Context)
	defer cancel()
	return cmdline.OpenStore(c).Update(ctx, func(tx *tracker.Tx) error {
		a, err := tx.ReadAnnotation(run)
		switch {
		case err != nil:
			return err
		case c.IsSet("note"):
			return tx.SetNote(run, c.String("note"))
		case a.Note == "":
			return tx.SetNote(run, note)
		}
		return nil
	})
}
