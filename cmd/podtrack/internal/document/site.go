package document

import (
	"context"
	"html"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// A Site is what a server adds to documents: ways to others of them.
type Site struct {
	Head, Above, Below string // HTML in the head, above the document and below it

	// Address returns where the site shows what a command prints, "" for nowhere.
	Address func(command []string) string
	// Sort returns where the site shows a list of runs in the order of a column, "" for nowhere; nil if the page is none.
	Sort func(column string) string
	// Chosen are the runs whose boxes are checked in lists of runs.
	Chosen []string
}

type siteKey struct{}

// Within returns a context in which pages are those of the site.
func (s *Site) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, siteKey{}, s)
}

type pageKey struct{}

// Within returns a context in which commands write to the page what they would print.
func (p *Page) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, pageKey{}, p)
}

// PageOf returns the page to which commands write, nil for none.
func PageOf(ctx context.Context) *Page {
	p, _ := ctx.Value(pageKey{}).(*Page)
	return p
}

// Open returns a page of the context's site with a title, or one that needs no other file if there is no site.
func Open(ctx context.Context, title string) *Page {
	s, _ := ctx.Value(siteKey{}).(*Site)
	if s == nil {
		return New("<!DOCTYPE html>\n", title)
	}
	p := &Page{site: s}
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n%s<title>%s</title>\n</head>\n<body>\n"+
		"%s<main id=\"document\">\n<h1>%s</h1>\n", s.Head, text(title), s.Above, text(title))
	return p
}

// IsServed reports whether a server shows the page.
func (p *Page) IsServed() bool { return p.site != nil }

// Link writes a command line that says more: on a site as a link to what it prints.
func (p *Page) Link(command []string, line string) {
	p.flush()
	p.begin()
	p.raw("<p class=\"link\"><code>%s</code></p>\n", p.linked(command, text(line)))
}

// linked returns HTML as a link to what a command prints, if the site shows that.
func (p *Page) linked(command []string, shown string) string {
	if shown == "" {
		return ""
	}
	if at := p.address(command); at != "" {
		return "<a href=\"" + html.EscapeString(at) + "\">" + shown + "</a>"
	}
	return shown
}

// address returns where the site shows what a command prints, "" for nowhere.
func (p *Page) address(command []string) string {
	if p.site == nil || len(command) == 0 {
		return ""
	}
	return p.site.Address(command)
}

// chooses returns the run that a row of a list of runs is about, "" if the table is none.
func (p *Page) chooses(g *table.Table, row int) string {
	if words := g.Opens(row, 0); p.site != nil && p.site.Sort != nil && len(words) == 2 && words[0] == "show" {
		return words[1]
	}
	return ""
}

// isChosen reports whether a run is chosen.
func (p *Page) isChosen(run string) bool { return slices.Contains(p.site.Chosen, run) }
