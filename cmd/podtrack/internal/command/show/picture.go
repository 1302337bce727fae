package show

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

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Picture is the destination and style of a figure.
type Picture struct {
	path           string // -o, "" or - for stdout
	force, caption bool   // replace a file; print the caption, too
	format         string
	style          chart.Style
}

func (p *Picture) flags() []cli.Flag {
	return slices.Concat([]cli.Flag{cmdline.Flag(&p.path, "o", "write to `FILE`, or to stdout if it is -")},
		flagsOf(figure.Looks), []cli.Flag{
			cmdline.Flag(&p.caption, "caption", "print the caption, too: n, intervals, units, settings and heads; a FILE "+
				"that ends in txt has it alone, one in tex as LaTeX"),
			cmdline.Flag(&p.force, "force", "replace the file if it exists"),
		})
}

// parse checks the flags of a picture before anything is read.
func (p *Picture) parse(c *cli.Context) (err error) {
	look := figure.Request{Choices: chosen(c, figure.Looks)}
	if p.format, err = p.chooseFormat(look.Get("format"), c.Command.Name); err != nil {
		return err
	}
	if p.style, err = parseStyle(look); err != nil {
		return err
	}
	p.style.Command = cmdline.CommandOf(c, "store", "format", "o", "force", "caption")
	if p.path == "-" {
		p.path = ""
	}
	return p.checkPlace(c)
}

// parseStyle returns the style that a request chooses.
func parseStyle(q figure.Request) (s chart.Style, err error) {
	s = chart.Style{Theme: q.Text("theme", chart.Themes[0]), Title: !q.IsOn("no-title"), Readouts: q.Style.Readouts}
	if !slices.Contains(chart.Themes, s.Theme) {
		return s, schema.Hint(fmt.Errorf("unknown theme %q", s.Theme), "the themes are %s", strings.Join(chart.Themes, ", "))
	}
	s.Width, err = parseWidth(q.Text("width", "6in"))
	return s, err
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

// chooseFormat returns the requested format of a figure, otherwise the one of the file's extension.
func (p *Picture) chooseFormat(format *string, figureName string) (string, error) {
	path, known := p.path, strings.Join(formats, ", ")
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	switch {
	case format != nil:
		return *format, checkFormat(*format)
	case path == "":
		return "", schema.Hint(errors.New("a figure needs a file or a format"),
			"add -o FILE, such as -o %s.svg, or --format csv for the numbers in it", figureName)
	case path == "-":
		return "", schema.Hint(errors.New("plot to stdout needs --format"), "the formats are %s", known)
	case slices.Contains(formats, ending):
		return ending, nil
	default:
		return "", schema.Hint(fmt.Errorf("%s: unknown file ending", path),
			"the file may end in %s; or add --format", known)
	}
}

// formats are those of figures, and a document of one.
var formats = append(slices.Clip(figure.Formats), table.HTML)

// checkFormat returns an error for an unknown format.
func checkFormat(format string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return schema.Hint(fmt.Errorf("unknown format %q", format), "the formats are %s", strings.Join(formats, ", "))
}

// checkPlace returns early the errors that would otherwise appear only after the computation: a
// picture for a terminal, a file that exists or cannot be created, or the store itself.
func (p *Picture) checkPlace(c *cli.Context) error {
	if p.path == "" {
		f, isFile := cmdline.RawWriter(c.App.Writer).(*os.File)
		if figure.IsBinary(p.format) && isFile && term.IsTerminal(int(f.Fd())) {
			return schema.Hint(fmt.Errorf("will not write a %s to a terminal", strings.ToUpper(p.format)),
				"add -o FILE, or --format csv for the numbers")
		}
		if p.caption {
			return schema.Hint(errors.New("--caption with a picture on stdout"),
				"add -o FILE, or --format txt for the caption alone; an SVG has it inside")
		}
		return nil
	}
	if tracker.SameFile(cmdline.OpenStore(c), tracker.New(p.path, tracker.Options{})) {
		return schema.Hint(fmt.Errorf("%s is the store itself", p.path), "choose another file")
	}
	if _, err := os.Stat(filepath.Dir(p.path)); err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", p.path, err), "make the folder first, or choose another")
	}
	if _, err := os.Lstat(p.path); err == nil && !p.force {
		return schema.Hint(fmt.Errorf("%s already exists", p.path), "choose another file, or replace it with --force")
	}
	return nil
}

func (p *Picture) Write(c *cli.Context, f figure.Figure) error {
	if slices.Contains(chart.PictureFormats, p.format) {
		if letters := figure.Undrawn(f); letters != "" {
			fmt.Fprintf(c.App.ErrWriter, "the font of figures lacks %s: the picture has escapes such as %s in place of "+
				"such letters\n", textfmt.EscapeLine(textfmt.Shorten(letters, 20)), chart.EscapeLetter([]rune(letters)[0]))
		}
	}
	write := func(w io.Writer) error { return figure.Write(w, f, p.format, p.style) }
	if p.format == table.HTML {
		write = func(w io.Writer) error {
			c.App.Writer = w
			return p.writePage(c, f)
		}
	}
	switch {
	case p.path == "" && figure.IsBinary(p.format):
		return write(cmdline.RawWriter(c.App.Writer))
	case p.path == "":
		return write(c.App.Writer)
	}
	err := cmdline.WriteAtomic(c.App.ErrWriter, p.path, p.force,
		cmdline.WriteFile(func(file *os.File) error { return write(file) }))
	if err != nil || !p.caption {
		return err
	}
	return figure.Write(c.App.Writer, f, "txt", p.style)
}

// writePage writes a figure as a document.
func (p *Picture) writePage(c *cli.Context, f figure.Figure) error {
	return cmdline.WritePage(c, strings.ToUpper(c.Command.Usage[:1])+c.Command.Usage[1:], func(page *document.Page) error {
		var caption strings.Builder
		if err := figure.Write(&caption, f, "txt", p.style); err != nil {
			return err
		}
		return page.Figures(document.Drawn{Figure: f, Caption: strings.TrimSpace(caption.String())})
	})
}

// NewPicture returns the picture, in the usual style, that another command draws. It checks the path, whose ending is a
// format of figures, before anything is computed.
func NewPicture(c *cli.Context, path string) (p Picture, err error) {
	p.path = path
	if p.format, err = p.chooseFormat(nil, c.Command.Name); err != nil {
		return p, err
	}
	if p.style, err = parseStyle(figure.Request{}); err != nil {
		return p, err
	}
	return p, p.checkPlace(c)
}
