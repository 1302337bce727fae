package plot

import (
	"fmt"
	"io"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
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
	against, states, steps            *string
	cosine, agreement, gap            *string
	measure, paired, by, baseline     *string
	runs, seed, reading, evaluation   *string
	noTitle, group, groups            bool
}

// texts returns the options that are texts, by their names as flags and as parameters of a request.
func (o *options) texts() map[string]**string {
	return map[string]**string{
		"format": &o.format, "width": &o.width, "height": &o.height, "dpi": &o.dpi, "theme": &o.theme,
		"against": &o.against, "states": &o.states, "steps": &o.steps,
		"cosine": &o.cosine, "agreement": &o.agreement, "gap": &o.gap,
		"measure": &o.measure, "paired": &o.paired,
		"by": &o.by, "baseline": &o.baseline, "runs": &o.runs, "seed": &o.seed, "reading": &o.reading,
		"evaluation": &o.evaluation,
	}
}

// switches returns the options that are on or off.
func (o *options) switches() map[string]*bool {
	return map[string]*bool{"no-title": &o.noTitle, "group": &o.group, "groups": &o.groups}
}

// set sets an option by its name.
func (o *options) set(name, value string) (err error) {
	if text := o.texts()[name]; text != nil {
		*text = &value
		return nil
	}
	on := o.switches()[name]
	if on == nil {
		return fmt.Errorf("unknown option %q", name)
	}
	if *on, err = strconv.ParseBool(value); err != nil {
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
func requestOf(c *cli.Context, figure, takes string) request {
	q := request{figure: figure, takes: takes, store: cmdline.OpenStore(c), args: c.Args().Slice(), warn: c.App.ErrWriter}
	for name, text := range q.texts() {
		if value := c.String(name); c.IsSet(name) {
			*text = &value
		}
	}
	for name, on := range q.switches() {
		*on = c.Bool(name)
	}
	return q
}

// plotTakes returns an error that states which arguments a figure takes.
func plotTakes(q request) error {
	return schema.Hint(fmt.Errorf("plot %s takes %s, not %s", q.figure, q.takes,
		cmdline.Plural(len(q.args), "argument")),
		"podtrack plot %s %s; podtrack ls lists the runs", q.figure, q.takes)
}
