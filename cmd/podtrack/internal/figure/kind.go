package figure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Kind is a kind of figure: its name, its arguments, and the function that reads it. The command line and the page
// range over [Kinds], so that a new figure is one file: a type that implements [Figure], and its kind.
type Kind struct {
	Name        string
	Usage       string // what it shows, in a line
	Args        string // what it takes, such as "RUN|RUN:K"; "" for no arguments
	Description string // more about it, "" for nothing
	Example     string // arguments of an example, with the runs ring0, ring1 and rooms
	Choices     []Choice
	Read        func(context.Context, Request) (Figure, error)

	// ReadPart reads a figure of a single run or iteration, in place of Read.
	ReadPart func(context.Context, Source, Request) (Figure, error)
}

// Choice is what people may choose about a kind of figure.
type Choice struct {
	Name, Usage string
	Value       string // the default, "" for none
	Default     string // in words, if the default is not a value
	Switch      bool   // it is on or off
}

// Looks are what people may choose about the picture of any kind.
var Looks = []Choice{
	{Name: "format", Usage: "write `F`: " + strings.Join(Formats, ", ") + ", html", Default: "the ending of FILE"},
	{Name: "width", Value: "6in",
		Usage: "make the picture `W` wide, in in, cm, mm or pt; a column of a paper has about 3.25in"},
	{Name: "theme", Value: chart.Themes[0], Usage: "draw it `T`: " + strings.Join(chart.Themes, ", ")},
	{Name: "no-title", Usage: "leave out the title and the notes, which the caption has", Switch: true},
}

// Request is a figure to read.
type Request struct {
	Kind    Kind
	Store   *tracker.Store
	Args    []string
	Choices map[string]string // those that are given; switches are "true"
	Format  string            // one of [Formats]
	Style   chart.Style
	Warn    io.Writer // for notes
}

var kinds []Kind

// Register adds a kind of figure. It returns a value so that a variable of the package can call it.
func Register(k Kind) struct{} {
	kinds = append(kinds, k)
	return struct{}{}
}

// Kinds returns all kinds of figures by name.
func Kinds() []Kind {
	return slices.SortedFunc(slices.Values(kinds), func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// Choices returns the choices of all kinds, each once.
func Choices() (all []Choice) {
	for _, k := range Kinds() {
		for _, o := range k.Choices {
			if !slices.ContainsFunc(all, func(had Choice) bool { return had.Name == o.Name }) {
				all = append(all, o)
			}
		}
	}
	return all
}

// Get returns a choice's value, nil if it is not given.
func (r Request) Get(name string) *string {
	if value, given := r.Choices[name]; given {
		return &value
	}
	return nil
}

// Text returns a choice's value, or what stands for it if it is not given.
func (r Request) Text(name, otherwise string) string {
	if value, given := r.Choices[name]; given {
		return value
	}
	return otherwise
}

// IsOn reports whether a switch is on.
func (r Request) IsOn(name string) bool { return r.Choices[name] == "true" }

const maxTableRows = 1 << 16 // of a series in a CSV file

// Columns returns the horizontal resolution at which to read. A CSV file has every step, up to a bound.
func (r Request) Columns() int {
	if r.Format == "csv" {
		return maxTableRows
	}
	return r.Style.Columns()
}

// Bins returns the resolution at which to read an option's states, like [Request.Columns].
func (r Request) Bins() Bins {
	if r.Format == "csv" {
		return Bins{Single: maxTableRows, Most: maxTableRows, Whole: true}
	}
	return MaxBins(r.Style)
}

// CheckGroups returns an error for more groups than a picture tells apart. A table may have more.
func (r Request) CheckGroups(n int) error {
	if n <= chart.MaxKeys || r.Format == "csv" {
		return nil
	}
	return schema.Hint(fmt.Errorf("%d groups in one picture", n),
		"choose at most %d, with a filter or other fields; --format csv writes all", chart.MaxKeys)
}
