package cmdline

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// Answer is what a command found. Each form is made only if it is asked for.
type Answer struct {
	JSON    any               // what --json prints
	Text    func(table.Text)  // prints text for a terminal, nil if that is the tables
	Tables  func() table.List // the tables that --format csv, markdown and latex print, nil for the text
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
