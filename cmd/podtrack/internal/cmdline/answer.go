package cmdline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Answer is what a command found. Each form is made only if it is asked for.
type Answer struct {
	JSON    any               // what --json prints
	Text    func(table.Text)  // prints text for a terminal, nil if that is the tables
	Tables  func() table.List // the tables that --format csv, markdown and latex print, nil for the text
	Title   string            // of a document of the answer, "" for the command
	Figures [][]string        // what podtrack plot takes to draw what a document of the answer has
	More    [][]string        // commands that say more
	Note    string            // about what the answer lacks, a message
	Verdict error             // the error with which the command ends when the answer is printed
}

// Answering returns the action of a command that answers in the form which --json and --format ask for.
func Answering(find func(*cli.Context) (Answer, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		if format, err := table.ParseFormat(c); err != nil {
			return err
		} else if format == table.HTML {
			c.App.ErrWriter = &notes{Writer: c.App.ErrWriter}
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
	if err == nil && a.Note != "" && format != table.HTML {
		fmt.Fprintln(c.App.ErrWriter, a.Note)
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

// notes is a writer of messages that keeps them for a document, too.
type notes struct {
	io.Writer
	kept bytes.Buffer
}

// Write implements [io.Writer].
func (n *notes) Write(p []byte) (int, error) {
	n.kept.Write(p)
	return n.Writer.Write(p)
}

// printPage prints the answer as a document.
func (a Answer) printPage(c *cli.Context) error {
	return WritePage(c, a.Title, func(page *document.Page) error {
		if a.Text != nil {
			a.Text(table.Text{Writer: page})
		} else {
			for _, t := range a.Tables() {
				table.Text{Writer: page}.TableBelow(t)
			}
		}
		fmt.Fprintf(page, "%s\n", a.Note)
		if n, ok := c.App.ErrWriter.(*notes); ok {
			fmt.Fprintf(page, "\n%s\n", n.kept.Bytes())
		}
		page.StartSection("Figures")
		for _, args := range a.Figures {
			words := append([]string{"plot"}, args...)
			if err := Execute(c, page.Within(c.Context), io.Discard, append(words, "--format="+table.HTML)...); err != nil {
				fmt.Fprintf(page, "%s: %v; %s\n", CommandLine(append([]string{c.App.Name}, words...)), err, remedy(err))
			}
		}
		PrintMore(c, page, a.More)
		return c.Context.Err()
	})
}

// PrintMore writes commands that say more.
func PrintMore(c *cli.Context, page *document.Page, commands [][]string) {
	page.StartSection("More")
	for _, words := range commands {
		page.Link(words, CommandLine(append([]string{"podtrack"}, words...))+elsewhere(c, page, words))
	}
}

// elsewhere returns what a command on a page lacks where its reader types it: the store, and a picture's file.
func elsewhere(c *cli.Context, page *document.Page, words []string) (flags string) {
	if words[0] == "plot" {
		flags += " -o " + words[1] + ".svg"
	}
	usual := cmp.Or(os.Getenv("PODTRACK_STORE"), DefaultStore)
	if store := StorePath(c); page.IsServed() && store != usual {
		flags += " --store " + textfmt.ShellPath(store)
	}
	return flags
}

// WritePage prints a document of the command with a title, "" for the command itself. Within another document it adds
// to that one.
func WritePage(c *cli.Context, title string, fill func(*document.Page) error) error {
	if page := document.PageOf(c.Context); page != nil {
		return fill(page)
	}
	command := CommandOf(c, "store", "format", "o", "force", "caption")
	page := document.Open(c.Context, cmp.Or(title, command))
	if title != "" {
		page.Command(command + elsewhere(c, page, strings.Fields(NameOf(c))[1:]))
	}
	err := fill(page)
	if err == nil {
		_, err = c.App.Writer.Write(page.Whole())
	}
	return err
}

// ExecuteKey is the key of an [Executor] in the application's metadata.
const ExecuteKey = "execute"

// An Executor executes a command line, which answers on stdout.
type Executor = func(ctx context.Context, words []string, stdout, stderr io.Writer) error

// ExecutorOf returns what executes commands as the application does.
func ExecutorOf(c *cli.Context) Executor { return c.App.Metadata[ExecuteKey].(Executor) }

// Execute executes another command about the same store, which answers on stdout.
func Execute(c *cli.Context, ctx context.Context, stdout io.Writer, words ...string) error {
	words = append([]string{c.App.Name, "--store=" + StorePath(c)}, words...)
	return ExecutorOf(c)(ctx, words, stdout, c.App.ErrWriter)
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
