package help

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

var (
	//go:embed index.md
	index string
	//go:embed page.html
	pageText string
	//go:embed style.css
	style []byte
)

// Where the sources of the pages are, for their links.
const (
	sources   = "https://github.com/podtrack/podtrack/blob/v" + schema.Version
	helpDir   = "cmd/podtrack/internal/help"
	topicsDir = helpDir + "/topics"
)

// page is what page.html shows.
type page struct {
	Name, Title, Summary string        // of a topic; the name is "" on the landing page
	Head, Body           template.HTML // title and summary, the rest
	Sections             []section
	Topics               []Topic
	Version              string
}

// section is a heading of the second level.
type section struct{ ID, Title string }

// Pages returns the files of a folder of web pages: a landing page, all topics, their pictures and a stylesheet.
func Pages() (map[string][]byte, error) {
	layout, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, err
	}
	made, topics := map[string][]byte{"style.css": style}, Topics()
	for _, t := range append([]Topic{{}}, topics...) {
		source, dir, name := index, helpDir, "index"
		if t.Name != "" {
			dir, name = topicsDir, t.Name
			if source, err = Text(t.Name); err != nil {
				return nil, err
			}
		}
		p, err := newPage(source, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.Name, p.Topics, p.Version = t.Name, topics, schema.Version
		var out bytes.Buffer
		if err := layout.Execute(&out, p); err != nil {
			return nil, err
		}
		made[name+".html"] = out.Bytes()
	}
	return made, addPictures(made)
}

// addPictures adds what stands beside the topics.
func addPictures(made map[string][]byte) error {
	entries, err := files.ReadDir("topics")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) == ".md" {
			continue
		}
		if made[e.Name()], err = files.ReadFile("topics/" + e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// newPage renders Markdown that stands in a folder of the repository: a title, a summary, and the rest.
func newPage(markdown, dir string) (p page, err error) {
	source := []byte(markdown)
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	document := md.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	var code []*ast.CodeSpan
	err = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(pageLink(dir, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(path.Base(string(n.Destination)))
		case *ast.CodeSpan:
			code = append(code, n)
		case *ast.Heading:
			if s := linkHeading(n, source); n.Level == 2 {
				p.Sections = append(p.Sections, s)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return p, err
	}
	for _, n := range code {
		linkCommand(n, source)
	}
	title, summary := document.FirstChild(), document.FirstChild().NextSibling()
	p.Title, p.Summary = textOf(title, source), textOf(summary, source)
	var head, body bytes.Buffer
	for _, n := range []ast.Node{title, summary} {
		document.RemoveChild(document, n)
		if err := md.Renderer().Render(&head, source, n); err != nil {
			return p, err
		}
	}
	err = md.Renderer().Render(&body, source, document)
	p.Head, p.Body = template.HTML(head.String()), template.HTML(body.String())
	return p, err
}

// linkHeading makes a heading a link to itself.
func linkHeading(h *ast.Heading, source []byte) (s section) {
	s.Title = textOf(h, source)
	if id, found := h.AttributeString("id"); found {
		s.ID = string(id.([]byte))
	}
	link := ast.NewLink()
	link.Destination = []byte("#" + s.ID)
	for c := h.FirstChild(); c != nil; c = h.FirstChild() {
		link.AppendChild(link, c)
	}
	h.AppendChild(h, link)
	return s
}

// linkCommand makes a command that shows a topic, or a section that has a name, a link to it.
func linkCommand(n *ast.CodeSpan, source []byte) {
	words := strings.Fields(textOf(n, source))
	if len(words) != 3 || words[0] != "podtrack" || words[1] != "help" || n.Parent().Kind() == ast.KindLink {
		return
	}
	target := words[2] + ".html"
	if s, found := sections[words[2]]; found {
		target = s.topic + ".html#" + string(anchors{}.Generate([]byte(s.title), ast.KindHeading))
	} else if !slices.Contains(order, words[2]) {
		return
	}
	link := ast.NewLink()
	link.Destination = []byte(target)
	n.Parent().ReplaceChild(n.Parent(), n, link)
	link.AppendChild(link, n)
}

// textOf returns the text in a node.
func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if t, isText := n.(*ast.Text); isText && entering {
			b.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// pageLink returns where a link in a document of a folder leads from its page: to another page, or to the repository.
func pageLink(dir, link string) string {
	file, anchor, found := strings.Cut(link, "#")
	if found {
		anchor = "#" + anchor
	}
	if file == "" || strings.Contains(file, "://") {
		return link
	}
	target := path.Join(dir, file)
	name := strings.TrimSuffix(path.Base(target), ".md")
	if path.Dir(target) == topicsDir && slices.Contains(order, name) {
		return name + ".html" + anchor
	}
	return sources + "/" + target + anchor
}

// anchors names headings as GitHub does.
type anchors map[string]bool

var noAnchor = textfmt.Pattern(`[^\p{L}\p{N} _-]`)

// Generate implements [parser.IDs].
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := noAnchor().ReplaceAllString(strings.ToLower(string(value)), "")
	id = strings.ReplaceAll(id, " ", "-")
	unique := id
	for n := 1; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a[unique] = true
	return []byte(unique)
}

// Put implements [parser.IDs].
func (a anchors) Put(value []byte) { a[string(value)] = true }
