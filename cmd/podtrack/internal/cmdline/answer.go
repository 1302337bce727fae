package cmdline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// Answer is what a command found. Each form is made only if it is asked for.
type Answer struct {
	JSON    any               // what --json prints
	Text    func(table.Text)  // prints text for a terminal, nil if that is the tables
	Tables  func() table.List // the tables that --format csv, markdown and latex print, nil for the text
	Figures [][]string        // what podtrack plot takes to draw what a document of the answer has
	Verdict error             // the error with which the command ends when the answer is printed
}

// Answering returns the action of a command that answers in the form which --json and --format ask for.
func Answering(find func(*cli.Context) (Answer, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		if _, err := table.ParseFormat(c); err != nil {
			return err
		}
		answer, err := find(c)
		if err != nil {
			return err
		}
		return answer.Print(c)
	}
}

// Print prints the answer in the form that --json and --format ask for, and returns its verdict.
func (a Answer) Print(c *cli.Context) error {
	format, err := table.ParseFormat(c)
	if err == nil {
		err = a.print(c, format)
	}
	return cmp.Or(err, a.Verdict)
}

// print prints the answer; tables are separated by empty lines.
func (a Answer) print(c *cli.Context, format string) error {
	w := c.App.Writer
	switch {
	case WantsJSON(c):
		return PrintJSON(w, a.JSON)
	case format == table.HTML:
		return a.printPage(c)
	case a.Text != nil && (format == table.Formats[0] || a.Tables == nil):
		a.Text(table.Text{Writer: w})
		return nil
	}
	for i, t := range a.Tables() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Print(w, format); err != nil {
			return err
		}
	}
	return nil
}

// printPage prints the answer as a document, whose title is the command that prints it.
func (a Answer) printPage(c *cli.Context) error {
	page := document.New("<!DOCTYPE html>\n", CommandLine(wordsOf(c)))
	if a.Text != nil {
		a.Text(table.Text{Writer: page})
	} else {
		for _, t := range a.Tables() {
			table.Text{Writer: page}.TableBelow(t)
		}
	}
	page.StartSection("Figures")
	for _, args := range a.Figures {
		if err := printFigure(c, page, append([]string{"plot"}, args...)); err != nil && c.Context.Err() == nil {
			fmt.Fprintf(page, "%s: %v\n", CommandLine(append([]string{c.App.Name, "plot"}, args...)), err)
		}
	}
	_, err := c.App.Writer.Write(append(page.Text(), document.End...))
	return cmp.Or(c.Context.Err(), err)
}

// printFigure prints what a command plots into a page, in every theme.
func printFigure(c *cli.Context, page *document.Page, plot []string) error {
	caption, err := execute(c, append(plot, "--format=txt")...)
	pictures := map[string][]byte{}
	for _, theme := range chart.Themes {
		if err == nil {
			pictures[theme], err = execute(c, append(plot, "--format=svg", "--no-title", "--theme="+theme)...)
		}
	}
	if err != nil {
		return err
	}
	return page.Pictures(1, func(_ int, theme string) ([]byte, string, error) {
		return pictures[theme], strings.TrimSpace(string(caption)), nil
	})
}

// ExecuteKey is the key of a function in the application's metadata that executes a command line and returns the exit
// code.
const ExecuteKey = "execute"

// execute returns what a command prints about the same store.
func execute(c *cli.Context, words ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	run := c.App.Metadata[ExecuteKey].(func(context.Context, []string, io.Writer, io.Writer) int)
	words = append([]string{c.App.Name}, append(words, "--store="+StorePath(c))...)
	if code := run(c.Context, words, &out, &errs); code != 0 {
		text := strings.TrimPrefix(strings.TrimSpace(errs.String()), c.App.Name+": ")
		return nil, errors.New(strings.ReplaceAll(text, "\n  ", "; "))
	}
	return out.Bytes(), nil
}

// wordsOf returns the words of a command without the store and the form of its answer.
func wordsOf(c *cli.Context) []string {
	words := append(strings.Fields(c.Command.HelpName), c.Args().Slice()...)
	for _, name := range c.LocalFlagNames() {
		switch value := c.Value(name); {
		case name == "store" || name == "format":
		case value == true:
			words = append(words, "--"+name)
		default:
			words = append(words, fmt.Sprintf("--%s=%v", name, value))
		}
	}
	return words
}

// Lines are JSON documents that are printed one a line.
type Lines []any

// PrintJSON writes v as an indented JSON document, or [Lines], and keeps a few kilobytes of its text in memory.
func PrintJSON(w io.Writer, v any) error {
	if lines, is := v.(Lines); is {
		var errs []error
		for _, line := range lines {
			errs = append(errs, encodeJSON(w, line))
		}
		return errors.Join(errs...)
	}
	return encodeJSON(w, v, jsontext.WithIndent("  "))
}

// encodeJSON writes v as package encoding/json does, and a line break.
func encodeJSON(w io.Writer, v any, form ...json.Options) error {
	e := jsontext.NewEncoder(w, append(form, jsonv1.DefaultOptionsV1())...)
	return json.MarshalEncode(e, v)
}
