package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// picture is where a figure goes, and how it is to look.
type picture struct {
	path   string // "" for stdout
	force  bool
	format string
	style  figure.Style
}

const defaultWidth = "6in"

func pictureFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, or to stdout where it is -"},
		&cli.StringFlag{Name: "format", Usage: "write `F`: " + strings.Join(figure.Formats, ", "), DefaultText: "what FILE ends in"},
		&cli.StringFlag{Name: "width", Value: defaultWidth, Usage: "make the picture `W` wide, in in, cm, mm or pt; a column of a paper has about 3.25in"},
		&cli.StringFlag{Name: "theme", Value: figure.Themes[0], Usage: "draw it `T`: " + strings.Join(figure.Themes, ", ")},
		&cli.BoolFlag{Name: "no-title", Usage: "leave the title out, for a caption"},
		&cli.BoolFlag{Name: "force", Usage: "replace the file if there is one"},
	}
}

// parsePicture checks the flags before anything is read.
func parsePicture(c *cli.Context) (p picture, err error) {
	p = picture{path: c.String("o"), force: c.Bool("force"), style: figure.Style{Theme: c.String("theme"), Title: !c.Bool("no-title")}}
	if p.style.Width, err = parseLength(c.String("width")); err != nil {
		return p, err
	}
	if !slices.Contains(figure.Themes, p.style.Theme) {
		return p, schema.Hint(fmt.Errorf("unknown theme %q", p.style.Theme), "the themes are %s", strings.Join(figure.Themes, ", "))
	}
	if p.format, err = pictureFormat(c); err != nil {
		return p, err
	}
	if p.path == "-" {
		p.path = ""
	}
	return p, p.checkPlace(c)
}

// pictureFormat is the one that is asked for, or that the file's name ends in.
func pictureFormat(c *cli.Context) (string, error) {
	path, known := c.String("o"), strings.Join(figure.Formats, ", ")
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	switch format := c.String("format"); {
	case c.IsSet("format") && !slices.Contains(figure.Formats, format):
		return "", schema.Hint(fmt.Errorf("unknown format %q", format), "the formats are %s", known)
	case c.IsSet("format"):
		return format, nil
	case path == "":
		return "", schema.Hint(errors.New("plot to which file?"), "add -o FILE, such as -o %s.svg, or --format csv for the numbers in it", c.Command.Name)
	case path == "-":
		return "", schema.Hint(errors.New("plot in which format?"), "add --format: %s", known)
	case slices.Contains(figure.Formats, ending):
		return ending, nil
	default:
		return "", schema.Hint(fmt.Errorf("%s does not end in a format that plot knows", path), "let it end in one of %s, or add --format", known)
	}
}

// checkPlace refuses what would be found only after the work: a picture for a
// terminal, a file that is there or cannot be made, the store itself.
func (p picture) checkPlace(c *cli.Context) error {
	if p.path == "" {
		f, isFile := rawOutput(c).(*os.File)
		if figure.Binary(p.format) && isFile && term.IsTerminal(int(f.Fd())) {
			return schema.Hint(fmt.Errorf("a %s is nothing for a terminal", strings.ToUpper(p.format)), "add -o FILE, or --format csv for the numbers")
		}
		return nil
	}
	if tracker.Same(openStore(c), tracker.New(p.path, tracker.Options{})) {
		return schema.Hint(fmt.Errorf("%s is the store itself", p.path), "choose another file")
	}
	if _, err := os.Stat(filepath.Dir(p.path)); err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", p.path, err), "make the folder first, or choose another")
	}
	if _, err := os.Lstat(p.path); err == nil && !p.force {
		return schema.Hint(fmt.Errorf("%s is there already", p.path), "choose another file, or replace it with --force")
	}
	return nil
}

// rawOutput is stdout as it is, for bytes that are no text.
func rawOutput(c *cli.Context) io.Writer {
	if v, ok := c.App.Writer.(visibleWriter); ok {
		return v.Writer
	}
	return c.App.Writer
}

// columns is how finely to read: for a file of numbers step by step, unless they
// are very many.
func (p picture) columns() int {
	if p.format == "csv" {
		return maxRows
	}
	return figure.Columns(p.style.Width)
}

const maxRows = 1 << 16

func (p picture) write(c *cli.Context, f figure.Figure) error {
	if p.path != "" {
		return writeWhole(p.path, p.force, writeFile(func(file *os.File) error { return figure.Write(file, f, p.format, p.style) }))
	}
	if figure.Binary(p.format) {
		return figure.Write(rawOutput(c), f, p.format, p.style)
	}
	return figure.Write(c.App.Writer, f, p.format, p.style)
}

// units of length, in points.
var units = map[string]float64{"in": 72, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "pt": 1}

// parseLength reads a picture's width, in points.
func parseLength(text string) (float64, error) {
	allowed := fmt.Sprintf("give a number with in, cm, mm or pt, such as 3.25in; %gin to %gin", figure.MinWidth/72, float64(figure.MaxWidth)/72)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	unit, known := units[strings.TrimPrefix(text, number)]
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known {
		return 0, schema.Hint(fmt.Errorf("--width %q is no length", text), "%s", allowed)
	}
	if x *= unit; !(x >= figure.MinWidth && x <= figure.MaxWidth) {
		return 0, schema.Hint(fmt.Errorf("--width %s is out of range", text), "%s", allowed)
	}
	return x, nil
}
