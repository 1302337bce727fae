package show

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// chooseFormat returns the requested format of a figure, otherwise the one of the file's extension.
func (p *picture) chooseFormat(look map[string]string, figureName string) (string, error) {
	path, known := p.path, strings.Join(figure.Formats, ", ")
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	switch format, given := look["format"]; {
	case given:
		return format, checkFormat(format)
	case path == "":
		return "", schema.Hint(errors.New("a figure needs a file or a format"),
			"add -o FILE, such as -o %s.svg, or --format csv for the numbers in it", figureName)
	case path == "-":
		return "", schema.Hint(errors.New("plot to stdout needs --format"), "the formats are %s", known)
	case slices.Contains(figure.Formats, ending):
		return ending, nil
	default:
		return "", schema.Hint(fmt.Errorf("%s: unknown file ending", path),
			"the file may end in %s; or add --format", known)
	}
}

// checkFormat returns an error for an unknown format.
func checkFormat(format string) error {
	if slices.Contains(figure.Formats, format) {
		return nil
	}
	return schema.Hint(fmt.Errorf("unknown format %q", format), "the formats are %s", strings.Join(figure.Formats, ", "))
}

// checkPlace returns early the errors that would otherwise appear only after the computation: a
// picture for a terminal, a file that exists or cannot be created, or the store itself.
func (p *picture) checkPlace(c *cli.Context) error {
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

func (p *picture) write(c *cli.Context, f figure.Figure) error {
	if slices.Contains(chart.PictureFormats, p.format) {
		if letters := figure.Undrawn(f); letters != "" {
			fmt.Fprintf(c.App.ErrWriter, "the font of figures lacks %s: the picture has escapes such as %s in place of "+
				"such letters\n", textfmt.EscapeLine(textfmt.Shorten(letters, 20)), chart.EscapeLetter([]rune(letters)[0]))
		}
	}
	if p.path != "" {
		err := cmdline.WriteAtomic(c.App.ErrWriter, p.path, p.force,
			cmdline.WriteFile(func(file *os.File) error { return figure.Write(file, f, p.format, p.style) }))
		if err != nil || !p.caption {
			return err
		}
		return figure.Write(c.App.Writer, f, "txt", p.style)
	}
	if figure.IsBinary(p.format) {
		return figure.Write(cmdline.RawWriter(c.App.Writer), f, p.format, p.style)
	}
	return figure.Write(c.App.Writer, f, p.format, p.style)
}

// A File is a file for a figure that another command draws in the usual style.
type File struct{ picture }

// NewFile checks a path, whose ending is a format of figures, before anything is computed.
func NewFile(c *cli.Context, path string) (f File, err error) {
	f.path = path
	if f.format, err = f.chooseFormat(nil, c.Command.Name); err != nil {
		return f, err
	}
	if f.style, err = parseStyle(nil); err != nil {
		return f, err
	}
	return f, f.checkPlace(c)
}

// Write writes a figure.
func (f File) Write(c *cli.Context, drawn figure.Figure) error { return f.picture.write(c, drawn) }
