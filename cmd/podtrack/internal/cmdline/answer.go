package cmdline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"sync"

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

// PrintJSON writes v as an indented JSON document, or [Lines]. It encodes a long list on all processors, and keeps the
// text of few elements of lists in memory.
func PrintJSON(w io.Writer, v any) error {
	if lines, is := v.(Lines); is {
		var errs []error
		for _, line := range lines {
			errs = append(errs, json.NewEncoder(w).Encode(line))
		}
		return errors.Join(errs...)
	}
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.Len() > listShare {
		return printJSONList(w, list)
	}
	s := jsonStream{w: w}
	s.value(reflect.ValueOf(&v).Elem(), "")
	s.write("\n")
	return s.err
}

// listShare is how many elements of a list one processor encodes before they are written.
const listShare = 1024

// printJSONList writes a list in parts, each of at most listShare elements for each processor.
func printJSONList(w io.Writer, list reflect.Value) error {
	texts := make([]bytes.Buffer, runtime.GOMAXPROCS(0))
	separator := "["
	for from := 0; from < list.Len(); {
		errs := make([]error, len(texts))
		var group sync.WaitGroup
		for i := 0; i < len(texts) && from < list.Len(); i++ {
			part, before := list.Slice(from, min(from+listShare, list.Len())), separator
			group.Go(func() { errs[i] = appendJSON(&texts[i], part, before) })
			from, separator = from+part.Len(), ","
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for i := range texts {
			if _, err := texts[i].WriteTo(w); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// appendJSON writes the elements of a part of a list, each after a separator, which is a comma but for the first one.
func appendJSON(out *bytes.Buffer, list reflect.Value, separator string) error {
	for i := range list.Len() {
		text, err := json.MarshalIndent(list.Index(i).Addr().Interface(), "  ", "  ")
		if err != nil {
			return err
		}
		out.WriteString(separator + "\n  ")
		out.Write(text)
		separator = ","
	}
	return nil
}
