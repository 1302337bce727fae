package web

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Drawing is a figure that is asked for, in the words of podtrack plot.
type Drawing struct {
	Figure string
	Of     []string   // its arguments
	Flags  url.Values // by name without dashes, format among them; each at most once
}

// figureFlags are those that a request may give. A figure takes some of them.
var figureFlags = []string{"format", "theme", "width", "no-title", "against", "states", "group", "measure", "paired", "runs", "reading", "seed", "evaluation"}

// figureKinds of content by format.
var figureKinds = map[string]string{"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "csv": "text/csv; charset=utf-8"}

// figure is what podtrack plot draws, or writes as CSV.
func (s *server) figure(r *request) (answer, error) {
	d := Drawing{Figure: r.PathValue("figure"), Of: r.query["of"], Flags: url.Values{}}
	for _, name := range figureFlags {
		value, err := r.one(name, "")
		if err != nil {
			return answer{}, err
		}
		if r.query.Has(name) {
			d.Flags.Set(name, value)
		}
	}
	format := cmp.Or(d.Flags.Get("format"), "svg")
	d.Flags.Set("format", format)
	kind, known := figureKinds[format]
	if !known {
		return answer{}, schema.Hint(coded(http.StatusBadRequest, "unknown format %q", shown(format)), "the formats are %s", strings.Join(figure.Formats, ", "))
	}
	if err := s.drawable(r, d); err != nil {
		return answer{}, err
	}
	body, err := s.draw(r.Context(), d)
	if err != nil {
		return answer{}, asked(err)
	}
	return answer{kind: kind, body: body, file: fileName(d, format)}, nil
}

func (s *server) draw(ctx context.Context, d Drawing) ([]byte, error) {
	if s.Draw == nil {
		return nil, schema.Hint(coded(http.StatusNotFound, "this server draws no figures"), "podtrack plot does")
	}
	return s.Draw(ctx, d)
}

// drawable refuses runs that are too large for a page. Those of a comparison or of
// Table 1 are told by their measures alone.
func (s *server) drawable(r *request, d Drawing) error {
	if d.Figure == "compare" {
		return nil
	}
	l, err := s.selected(r.Context(), runsOf(d.Of), "")
	if err != nil || len(d.Of) == 0 {
		return err
	}
	for _, run := range l.runs {
		if err := tooLarge(run); err != nil {
			return err
		}
	}
	return nil
}

// runsOf are arguments without the iterations and options that they name.
func runsOf(args []string) (runs []string) {
	for _, arg := range args {
		if ref, err := report.ParseRef(arg); err == nil && !report.IsTerm(arg) {
			arg = ref.Run
		}
		runs = append(runs, arg)
	}
	return runs
}

// asked says of an error that comes with a remedy, and of which no more is known,
// that it is the request's: the command would say the same of its arguments.
func asked(err error) error {
	if statusOf(err) == http.StatusInternalServerError && schema.Remedy(err) != "" {
		return &statusError{http.StatusBadRequest, err}
	}
	return err
}

const maxFileName = 80 // bytes, without the format

// fileName is what a browser calls the file that it saves.
func fileName(d Drawing, format string) string {
	name := strings.Map(inFileName, strings.Join(slices.Concat([]string{d.Figure}, d.Of), "-"))
	return mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%.*s.%s", maxFileName, name, format)})
}

func inFileName(r rune) rune {
	if notInName := !strings.ContainsRune("+-.=_,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z'); notInName {
		return '-'
	}
	return r
}
