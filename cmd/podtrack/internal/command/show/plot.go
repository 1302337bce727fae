// Package show has the commands that show the store as pictures: plot draws figures, and serve shows them in a browser.
package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/urfave/cli/v2"
)

func namesOf(all []figure.Kind) []string {
	return textfmt.Map(all, func(k figure.Kind) string { return k.Name })
}

var _ = cmdline.Register(cmdline.Command{
	Name: "plot", Group: cmdline.GroupShow, Place: 1,
	Example:     "podtrack plot coverage bits=7 --format png -o coverage.png",
	Usage:       "draw a figure of recorded runs as PNG, SVG or PDF, or write its numbers",
	Args:        "FIGURE …",
	Description: "podtrack plot FIGURE --help says what a figure takes.",
	Make:        func() ([]cli.Flag, cli.ActionFunc) { return flagsOfAll(), refuse },
})

func init() {
	for _, k := range figure.Kinds() {
		line := fmt.Sprintf("podtrack plot %s %s -o %s.svg", k.Name, k.Example, k.Name)
		cmdline.Register(cmdline.Command{
			Name: "plot " + k.Name, Example: strings.Join(strings.Fields(line), " "),
			Usage: k.Usage, Args: k.Args, Description: k.Description,
			Served: textfmt.Map(append(slices.Clip(k.Choices), figure.Looks...), func(o figure.Choice) string { return o.Name }),
			Make: func() ([]cli.Flag, cli.ActionFunc) {
				var out Picture
				return flagsOfKind(k, &out), out.plot(k)
			},
		})
	}
}

// refuse returns an error for an unknown figure.
func refuse(c *cli.Context) error {
	names := namesOf(figure.Kinds())
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("plot needs the name of a figure"), "the figures are %s", strings.Join(names, ", "))
	}
	return schema.Hint(fmt.Errorf("plot does not know %q", c.Args().First()), "%s",
		textfmt.DidYouMean(c.Args().First(), "figures", names))
}

// flagsOfAll returns the flags of every figure, hidden, so that an unknown figure can be reported beside them.
func flagsOfAll() (flags []cli.Flag) {
	flags = flagsOfKind(figure.Kind{Choices: figure.Choices()}, new(Picture))
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.Hidden = true
		case *cli.StringFlag:
			f.Hidden = true
		}
	}
	return flags
}

func flagsOfKind(k figure.Kind, out *Picture) []cli.Flag {
	return slices.Concat([]cli.Flag{cmdline.StoreFlag()}, flagsOf(k.Choices), out.flags())
}

// flagsOf returns the flags of a kind's choices.
func flagsOf(choices []figure.Choice) (flags []cli.Flag) {
	for _, o := range choices {
		if o.Switch {
			flags = append(flags, &cli.BoolFlag{Name: o.Name, Usage: o.Usage})
		} else {
			flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: o.Usage, Value: o.Value, DefaultText: o.Default})
		}
	}
	return flags
}

// choiceOf returns the choice of a flag that other commands have, too.
func choiceOf(flag cli.Flag) figure.Choice {
	f := flag.(*cli.StringFlag)
	return figure.Choice{Name: f.Name, Usage: f.Usage, Value: f.Value, Default: f.DefaultText}
}

// plot returns the action that draws a kind of figure.
func (p *Picture) plot(k figure.Kind) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := p.parse(c); err != nil {
			return err
		}
		f, err := read(c.Context, requestOf(c, k, *p))
		if err != nil {
			return cmdline.StoppedExport(err)
		}
		return cmdline.StoppedExport(p.Write(c, f))
	}
}
