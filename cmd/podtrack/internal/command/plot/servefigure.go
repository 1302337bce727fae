package plot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/web"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// DrawFrom returns the function that draws a figure of the store for the page, as podtrack plot
// does. It executes no run, and never interprets a part of a request as a flag or a path.
func DrawFrom(store *tracker.Store) func(context.Context, web.Drawing) ([]byte, error) {
	return func(ctx context.Context, d web.Drawing) ([]byte, error) {
		kind, err := servedKind(d.Figure)
		if err != nil {
			return nil, err
		}
		q, err := kind.served(store, d)
		if err != nil {
			return nil, err
		}
		out, err := servedPicture(q.options)
		if err != nil {
			return nil, err
		}
		out.style.Readouts = d.Readouts
		f, err := kind.read(ctx, q, out)
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
	kinds = slices.DeleteFunc(kinds, func(k plotKind) bool { return k.offPage })
	at := slices.IndexFunc(kinds, func(k plotKind) bool { return k.name == name })
	if at < 0 {
		return plotKind{}, schema.Hint(fmt.Errorf("plot does not know %q", name), "the figures are %s, figure1", plotNames())
	}
	return kinds[at], nil
}

// unserved are the flags about files, which a request may not set.
var unserved = []string{"store", "o", "force", "caption"}

// served returns what a request of the page asks for. It may set the options that the figure's
// flags set.
func (k plotKind) served(store *tracker.Store, d web.Drawing) (request, error) {
	q := request{figure: k.name, takes: k.args, store: store, args: d.Of, warn: io.Discard}
	var takes []string
	for _, f := range k.command().Flags {
		takes = append(takes, f.Names()[0])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Flags)) { // so that the same one of several errors is always reported
		if slices.Contains(unserved, name) {
			return q, schema.Hint(fmt.Errorf("flag %q", name), "a figure is sent, and written to no file here")
		}
		err := fmt.Errorf("unknown option %q", name)
		if slices.Contains(takes, name) {
			err = q.set(name, d.Flags.Get(name))
		}
		if err != nil {
			return q, schema.Hint(err, "podtrack plot %s --help lists the flags", k.name)
		}
	}
	return q, nil
}

// servedPicture returns the format and the style of a figure that is sent.
func servedPicture(o options) (p picture, err error) {
	p.format = textOr(o.format, "")
	if err := checkFormat(p.format); err != nil {
		return p, err
	}
	p.style, err = parseStyle(o, p.format)
	return p, err
}

// recordedFigure1 draws the same as podtrack reproduce figure1 from recorded runs. It fails if
// they are not in the store.
func recordedFigure1(ctx context.Context, q request, out picture) (figure.Figure, error) {
	if len(q.args) > 0 {
		return nil, schema.Hint(errors.New("figure1 is of no other runs than the paper's"),
			"podtrack plot walk %s draws another", textform.ShellQuote(q.args[0]))
	}
	jobs, err := figure1Jobs(q)
	if err != nil {
		return nil, err
	}
	var runs []schema.Digest
	err = q.store.View(ctx, func(tx *tracker.Tx) error {
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
			q.readingOfFigure1())
	}
	return readFigure1(ctx, q, jobs[0].Spec.Seed, runs, out)
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
