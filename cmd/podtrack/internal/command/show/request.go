package show

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// requestOf returns what a command's arguments and flags ask for.
func requestOf(c *cli.Context, k figure.Kind, out Picture) figure.Request {
	return figure.Request{Kind: k, Store: cmdline.OpenStore(c), Args: c.Args().Slice(), Choices: chosen(c, k.Choices),
		Format: out.format, Style: out.style, Warn: c.App.ErrWriter}
}

// chosen returns the values of those choices whose flags are given.
func chosen(c *cli.Context, choices []figure.Choice) map[string]string {
	values := map[string]string{}
	for _, o := range choices {
		if c.IsSet(o.Name) {
			values[o.Name] = fmt.Sprint(c.Value(o.Name))
		}
	}
	return values
}

// read reads what a figure shows.
func read(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if q.Kind.ReadPart != nil {
		part, err := openPart(ctx, q)
		if err != nil {
			return nil, err
		}
		f, err := q.Kind.ReadPart(ctx, part, q)
		return ofParts(f, part), err
	}
	return q.Kind.Read(ctx, q)
}

// plotTakes returns an error that states which arguments a figure takes.
func plotTakes(q figure.Request) error {
	return schema.Hint(fmt.Errorf("plot %s takes %s, not %s", q.Kind.Name, q.Kind.Args,
		textfmt.CountOf(len(q.Args), "argument")),
		"podtrack plot %s %s; podtrack ls lists the runs", q.Kind.Name, q.Kind.Args)
}

// DrawFrom returns the function that draws a figure of the store for the page, as podtrack plot
// does. It executes no run, and never interprets a part of a request as a flag or a path.
func DrawFrom(store *tracker.Store) func(context.Context, figure.Request) ([]byte, error) {
	return func(ctx context.Context, q figure.Request) ([]byte, error) {
		q.Store, q.Warn = store, io.Discard
		err := complete(&q)
		if err != nil {
			return nil, err
		}
		f, err := read(ctx, q)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = figure.Write(&b, f, q.Format, q.Style)
		return b.Bytes(), err
	}
}

// complete adds the kind of a request of the page by its name, and the style that it chooses.
func complete(q *figure.Request) (err error) {
	all := figure.Kinds()
	at := slices.IndexFunc(all, func(k figure.Kind) bool { return k.Name == q.Kind.Name })
	if at < 0 {
		return schema.Hint(fmt.Errorf("plot does not know %q", q.Kind.Name), "the figures are %s",
			strings.Join(namesOf(all), ", "))
	}
	q.Kind = all[at]
	choices := slices.Concat(q.Kind.Choices, figure.Looks)
	for _, name := range slices.Sorted(maps.Keys(q.Choices)) { // so that always the same of several errors is reported
		at, value := slices.IndexFunc(choices, func(o figure.Choice) bool { return o.Name == name }), q.Choices[name]
		switch {
		case at < 0:
			return schema.Hint(fmt.Errorf("unknown option %q", name), "podtrack plot %s --help lists the flags", q.Kind.Name)
		case choices[at].Switch && value != "true" && value != "false":
			return schema.Hint(fmt.Errorf("%s %q is neither true nor false", name, value), "write true or false")
		}
	}
	if err := checkFormat(q.Format); err != nil {
		return err
	}
	q.Style, err = parseStyle(*q)
	return err
}
