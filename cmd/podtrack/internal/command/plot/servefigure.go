package plot

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/web"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// DrawFrom returns the function that draws a figure of the store for the page, as podtrack plot
// does. It executes no run, and never interprets a part of a request as a flag or a path.
func DrawFrom(store string) func(context.Context, web.Drawing) ([]byte, error) {
	return func(ctx context.Context, d web.Drawing) ([]byte, error) {
		kind, err := servedKind(d.Figure)
		if err != nil {
			return nil, err
		}
		c, err := kind.context(ctx, store, d)
		if err != nil {
			return nil, err
		}
		out, err := parsePicture(c)
		if err != nil {
			return nil, err
		}
		f, err := kind.read(c, out)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = figure.Write(&b, f, out.format, out.style)
		return b.Bytes(), err
	}
}

// servedKind returns a figure of plot, or Figure 1 from recorded runs.
func servedKind(name string) (plotKind, error) {
	kinds := append(plotKinds(), plotKind{name: "figure1", flags: figure1Flags(), read: recordedFigure1})
	at := slices.IndexFunc(kinds, func(k plotKind) bool { return k.name == name })
	if at < 0 {
		return plotKind{}, schema.Hint(fmt.Errorf("plot does not know %q", name), "the figures are %s, figure1", plotNames())
	}
	return kinds[at], nil
}

// unserved are the flags about files, which a request may not set.
var unserved = []string{"store", "o", "force"}

// context returns the context of a command with the request's flags and arguments.
func (k plotKind) context(ctx context.Context, store string, d web.Drawing) (*cli.Context, error) {
	set := flag.NewFlagSet(k.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	command := k.command()
	for _, f := range command.Flags {
		if err := f.Apply(set); err != nil {
			return nil, err
		}
	}
	words := []string{"--store=" + store}
	for name := range d.Flags {
		if slices.Contains(unserved, name) {
			return nil, schema.Hint(fmt.Errorf("flag %q", name), "a figure is sent, and written to no file here")
		}
		words = append(words, "--"+name+"="+d.Flags.Get(name))
	}
	slices.Sort(words[1:]) // so that the same one of several errors is always reported
	if err := set.Parse(append(append(words, "--"), d.Of...)); err != nil {
		return nil, schema.Hint(err, "podtrack plot %s --help lists the flags", k.name)
	}
	c := cli.NewContext(&cli.App{Writer: io.Discard, ErrWriter: io.Discard}, set, nil)
	c.Context, c.Command = ctx, command
	return c, nil
}

// recordedFigure1 draws the same as podtrack reproduce figure1 from recorded runs. It fails if
// they are not in the store.
func recordedFigure1(c *cli.Context, out picture) (figure.Figure, error) {
	if c.NArg() > 0 {
		return nil, schema.Hint(errors.New("figure1 is of no other runs than the paper's"),
			"podtrack plot walk %s draws another", schema.ShellQuote(c.Args().First()))
	}
	jobs, err := figure1Jobs(c)
	if err != nil {
		return nil, err
	}
	var runs []schema.Digest
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		for _, j := range jobs {
			id, err := recordedRun(tx, j)
			if err != nil {
				return err
			}
			runs = append(runs, id)
		}
		return nil
	})
	if err != nil {
		return nil, schema.Hint(err, "podtrack reproduce figure1 --seed %d --reading %s makes its runs", jobs[0].Spec.Seed,
			c.String("reading"))
	}
	return readFigure1(c, jobs[0].Spec.Seed, runs, out)
}

// recordedRun returns the recorded run of a job, which must have reached the job's target.
func recordedRun(tx *tracker.Tx, j replay.Job) (schema.Digest, error) {
	id, err := schema.RunID(j.Spec, nil)
	if err != nil {
		return id, err
	}
	if _, err := tx.ReadRun(id); err != nil {
		return id, err
	}
	done, _, err := tx.ReadHead(id)
	if err == nil && done < j.Target {
		err = fmt.Errorf("run %.7s has %s of %d: the others %w", id, cmdline.Plural(done, "iteration"), j.Target,
			tracker.ErrMissing)
	}
	return id, err
}
