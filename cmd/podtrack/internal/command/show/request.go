package show

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
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
