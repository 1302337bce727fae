package plot

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// request is a figure to draw: of what, and with which options. The flags of podtrack plot and a
// request of the page both fill it.
type request struct {
	figure, takes string // its name, and the arguments that it takes
	store         *tracker.Store
	args          []string
	warn          io.Writer // for notes
	options
}

// options are the options of all figures, nil if not given. Each figure takes some of them.
type options struct {
	format, width, height, dpi, theme *string
	against, states                   *string
	cosine, agreement, gap            *string
	measure, paired                   *string
	runs, seed, reading, evaluation   *string
	noTitle, group                    bool
}

// optionNames are the names of the options, as flags and as parameters of a request.
var optionNames = []string{"format", "width", "height", "dpi", "theme", "against", "states", "cosine", "agreement",
	"gap", "measure", "paired", "runs", "seed", "reading", "evaluation", "no-title", "group"}

// set sets an option by its name.
func (o *options) set(name, value string) (err error) {
	switch name {
	case "no-title":
		o.noTitle, err = strconv.ParseBool(value)
	case "group":
		o.group, err = strconv.ParseBool(value)
	default:
		texts := []**string{&o.format, &o.width, &o.height, &o.dpi, &o.theme, &o.against, &o.states, &o.cosine,
			&o.agreement, &o.gap, &o.measure, &o.paired, &o.runs, &o.seed, &o.reading, &o.evaluation}
		*texts[slices.Index(optionNames, name)] = &value
	}
	if err != nil {
		return fmt.Errorf("%s %q is neither true nor false", name, value)
	}
	return nil
}

// textOr returns an option's value, or what stands for it if it was not given.
func textOr(value *string, otherwise string) string {
	if value == nil {
		return otherwise
	}
	return *value
}

// requestOf returns what a command's arguments and flags ask for.
func requestOf(c *cli.Context, figure, takes string) (request, error) {
	q := request{figure: figure, takes: takes, store: cmdline.OpenStore(c), args: c.Args().Slice(), warn: c.App.ErrWriter}
	for _, name := range optionNames {
		if !c.IsSet(name) {
			continue
		}
		if err := q.set(name, fmt.Sprint(c.Value(name))); err != nil {
			return q, err
		}
	}
	return q, nil
}
