package api

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// figureFlags returns the flags of podtrack plot that a request may give. Each figure takes some of them.
func figureFlags() []string {
	return textfmt.Map(append(figure.Choices(), figure.Looks...), func(o figure.Choice) string { return o.Name })
}

// figureKinds maps formats to content types.
var figureKinds = map[string]string{"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf",
	"csv": "text/csv; charset=utf-8", "txt": "text/plain; charset=utf-8", "tex": "text/plain; charset=utf-8"}

// figure returns a file that podtrack plot would write, a drawing or its data as CSV.
func (s *server) figure(r *request) (any, error) {
	format := cmp.Or(r.one("format", ""), "svg")
	kind, known := figureKinds[format]
	if !known {
		r.refuse("the formats are "+strings.Join(figure.Formats, ", "), "unknown format %q", format)
	}
	q := figure.Request{Kind: figure.Kind{Name: r.PathValue("figure")}, Args: r.query["of"], Choices: map[string]string{},
		Format: format, Style: chart.Style{Readouts: r.isOn("readouts")}}
	for _, name := range figureFlags() {
		if r.query.Has(name) {
			q.Choices[name] = r.one(name, "")
		}
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case s.Draw == nil:
		return nil, schema.Hint(reply.Errorf(http.StatusNotFound, "this server draws no figures"), "podtrack plot does")
	}
	body, err := s.Draw(r.Context(), q)
	if err != nil {
		return nil, reply.ClientError(err)
	}
	return reply.Answer{Kind: kind, Body: body, File: fileName(q)}, nil
}

// checkDrawable returns an error if a run is not there or too large for a page. Measures by iteration are not bounded.
func (s *server) checkDrawable(r *request) error {
	figure, of := r.PathValue("figure"), r.query["of"]
	if figure == "measures" {
		return nil
	}
	l, err := s.selected(r.Context(), runsOf(of), "")
	if err != nil {
		return err
	}
	most := s.limits.curves
	if figure == "diff" {
		most = s.limits.clustered
	}
	return checkServed(l.runs, most)
}

// runsOf returns the arguments without the iterations and options that they name.
func runsOf(args []string) (runs []string) {
	for _, arg := range args {
		if ref, err := report.ParseRef(arg); err == nil && !report.IsTerm(arg) {
			arg = ref.Run
		}
		runs = append(runs, arg)
	}
	return runs
}

// maxFileName is the length of a file's name in bytes, without the format.
const maxFileName = 80

// fileName returns the Content-Disposition under which a browser saves a figure.
func fileName(q figure.Request) string {
	name := notInFileName().ReplaceAllString(strings.Join(slices.Concat([]string{q.Kind.Name}, q.Args), "-"), "-")
	return mime.FormatMediaType("attachment",
		map[string]string{"filename": fmt.Sprintf("%.*s.%s", maxFileName, name, q.Format)})
}

// notInFileName matches a character that file names should not contain.
var notInFileName = textfmt.Pattern(`[^0-9A-Za-z+\-.=_,]`)
