package web

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"html/template"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
)

//go:embed around.html
var aroundText string

// around is what pages have around their documents. Addresses are relative to the page, all pages stand side by side,
// so that a site works below any path.
var around = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("around").Parse(aroundText))
})

// link is a way to another page.
type link struct{ Name, Address string }

// surroundings is what the templates of a page show.
type surroundings struct {
	Store, Search string
	Filter        string // of the list, one of all runs if it has none
	Studies       []link
	Lists         bool
	Run           *report.Run // that can be edited
	Tags          string
	Forms         []link
}

// frame returns what a page has around its document.
func (s *site) frame(a asked) *document.Site {
	x := surroundings{Store: filepath.Base(s.Store.Path()), Lists: a.Name == "ls" && !a.isMessage}
	if a.Name == "ls" {
		x.Search = strings.Join(a.args, " ")
		x.Filter = cmp.Or(x.Search, "env=*")
	}
	if runs := a.seen.runs; s.Edit && a.Name == "show" && len(runs) == 1 && len(a.flags) == 0 {
		x.Run, x.Tags = &runs[0], strings.Join(runs[0].Tags, " ")
	}
	for _, name := range a.seen.studies {
		x.Studies = append(x.Studies, link{name, s.address([]string{"compare", report.FormatTerm("study", name)})})
	}
	if !a.isMessage {
		x.Forms = a.forms()
	}
	return &document.Site{Head: expand("head", x), Above: expand("above", x), Below: expand("below", x),
		Address: s.address, Sort: a.sorted(), Chosen: a.chosen}
}

// sorted returns where a list of runs stands in another order: upwards by a column, or downwards if it is already.
func (a asked) sorted() func(column string) string {
	if a.Name != "ls" {
		return nil
	}
	return func(column string) string {
		q, _ := url.ParseQuery(a.query) // it has been read before
		if q.Get("sort") == column {
			column = "-" + column
		}
		q.Set("sort", column)
		q.Del("best")
		return a.path + "?" + q.Encode()
	}
}

// forms returns the forms in which a command answers.
func (a asked) forms() (forms []link) {
	names := []string{"json", "csv", "markdown", "latex"}
	switch {
	case a.Name == "why":
		names = names[:1]
	case a.cost == drawing:
		names = []string{"svg", "png", "pdf", "csv", "tex"}
	}
	q, _ := url.ParseQuery(a.query) // it has been read before
	for _, name := range append(names, table.HTML) {
		p := url.Values{}
		for key, values := range q {
			if key != "chosen" {
				p[key] = values
			}
		}
		if title := name; name == "json" {
			p.Set("json", "true")
			forms = append(forms, link{title, a.path + "?" + p.Encode()})
		} else {
			if p.Set("format", name); name == table.HTML {
				title = "this document as a file"
				p.Set("file", "true")
			}
			forms = append(forms, link{title, a.path + "?" + p.Encode()})
		}
	}
	return forms
}

// expand returns the text of a template, whose data are always right for it.
func expand(name string, data any) string {
	var b bytes.Buffer
	if err := around().ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return b.String()
}

// address returns where the site shows what a command prints, "" for nowhere.
func (s *site) address(words []string) string {
	for n := min(2, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		at := slices.IndexFunc(s.pages, func(p served) bool { return p.Name == name })
		if at < 0 {
			continue
		}
		q := url.Values{}
		for _, word := range words[n:] {
			flag, isFlag := strings.CutPrefix(word, "--")
			if !isFlag && strings.HasPrefix(word, "-") {
				return "" // it writes a file
			}
			if isFlag {
				name, value, hasValue := strings.Cut(flag, "=")
				if !hasValue {
					value = "true"
				}
				if q.Add(name, value); !slices.Contains(s.pages[at].Served, name) {
					return ""
				}
				continue
			}
			q.Add("of", word)
		}
		return strings.TrimSuffix(s.pages[at].path+"?"+q.Encode(), "?")
	}
	return ""
}

// failure returns the page of an error.
func (s *site) failure(a asked, err error) []byte {
	return s.message(a, "podtrack "+a.path, "failure", newFailure(err))
}

// waiting returns the page of a document that is being made.
func (s *site) waiting(a asked, j *job) []byte {
	what, _ := j.what.Load().(string)
	return s.message(a, "podtrack "+a.path, "waiting", struct {
		What    string
		Percent int64
	}{what, j.percent.Load()})
}

// message returns a page with a message.
func (s *site) message(a asked, title, name string, data any) []byte {
	a.isMessage = true
	page := document.Open(s.frame(a).Within(context.Background()), title)
	page.HTML(expand(name, data))
	return page.Whole()
}
