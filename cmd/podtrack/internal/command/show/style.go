package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
)

// picture is the destination and style of a figure.
type picture struct {
	path           string // -o, "" or - for stdout
	force, caption bool   // replace a file; print the caption, too
	format         string
	style          chart.Style
}

const defaultWidth = "6in"

func (p *picture) flags() []cli.Flag {
	return []cli.Flag{
		cmdline.Flag(&p.path, "o", "write to `FILE`, or to stdout if it is -"),
		&cli.StringFlag{Name: "format", Usage: "write `F`: " + strings.Join(figure.Formats, ", "),
			DefaultText: "the ending of FILE"},
		&cli.StringFlag{Name: "width", Value: defaultWidth,
			Usage: "make the picture `W` wide, in in, cm, mm or pt; a column of a paper has about 3.25in"},
		&cli.StringFlag{Name: "theme", Value: chart.Themes[0], Usage: "draw it `T`: " + strings.Join(chart.Themes, ", ")},
		&cli.BoolFlag{Name: "no-title", Usage: "leave out the title and the notes, which the caption has"},
		cmdline.Flag(&p.caption, "caption", "print the caption, too: n, intervals, units, settings and heads; a FILE "+
			"that ends in txt has it alone, one in tex as LaTeX"),
		cmdline.Flag(&p.force, "force", "replace the file if it exists"),
	}
}

// parse checks the flags of a picture before anything is read.
func (p *picture) parse(c *cli.Context) (err error) {
	look := map[string]string{}
	for _, name := range pictureNames {
		if c.IsSet(name) {
			look[name] = fmt.Sprint(c.Value(name))
		}
	}
	if p.format, err = p.chooseFormat(look, c.Command.Name); err != nil {
		return err
	}
	if p.style, err = parseStyle(look); err != nil {
		return err
	}
	if p.path == "-" {
		p.path = ""
	}
	return p.checkPlace(c)
}

// pictureNames are the flags that decide how a picture looks.
var pictureNames = []string{"format", "width", "theme", "no-title"}

// parseStyle parses the values of pictureNames.
func parseStyle(look map[string]string) (s chart.Style, err error) {
	s = chart.Style{Theme: valueOr(look, "theme", chart.Themes[0]), Title: look["no-title"] != "true"}
	if !slices.Contains(chart.Themes, s.Theme) {
		return s, schema.Hint(fmt.Errorf("unknown theme %q", s.Theme), "the themes are %s", strings.Join(chart.Themes, ", "))
	}
	width := valueOr(look, "width", defaultWidth)
	s.Width, err = parseWidth(width)
	return s, err
}

// valueOr returns the value of a flag, or its default if it is not given.
func valueOr(look map[string]string, name, otherwise string) string {
	if value, given := look[name]; given {
		return value
	}
	return otherwise
}

// units maps units of length to points.
var units = map[string]float64{"in": 72, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "pt": 1}

// parseWidth parses a picture's width, and returns it in points.
func parseWidth(text string) (float64, error) {
	allowed := fmt.Sprintf("give a number with in, cm, mm or pt, such as 3.25in; %gin to %gin", chart.MinWidth/72.0,
		chart.MaxWidth/72.0)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	unit, known := units[strings.TrimPrefix(text, number)]
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known {
		return 0, schema.Hint(fmt.Errorf("--width: invalid length %q", text), "%s", allowed)
	}
	if x *= unit; !(x >= chart.MinWidth && x <= chart.MaxWidth) {
		return 0, schema.Hint(fmt.Errorf("--width %s is out of range", text), "%s", allowed)
	}
	return x, nil
}
