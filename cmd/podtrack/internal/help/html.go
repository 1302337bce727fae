package help

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/russross/blackfriday/v2"

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
		p := newPage(source, dir)
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
func newPage(markdown, dir string) (p page) {
	document := blackfriday.New(blackfriday.WithExtensions(markdownExtensions)).Parse([]byte(markdown))
	var code []*blackfriday.Node
	used := anchors{}
	document.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch {
		case !entering:
		case n.Type == blackfriday.Link:
			n.Destination = []byte(pageLink(dir, string(n.Destination)))
		case n.Type == blackfriday.Image:
			n.Destination = []byte(path.Base(string(n.Destination)))
		case n.Type == blackfriday.Code:
			code = append(code, n)
		case n.Type == blackfriday.Heading:
			title := textOf(n)
			n.HeadingID = used.add(title)
			if n.Level == 2 {
				p.Sections = append(p.Sections, section{n.HeadingID, title})
			}
			linkHeading(n)
		}
		return blackfriday.GoToNext
	})
	for _, n := range code {
		linkCommand(n)
	}
	title, summary := document.FirstChild, document.FirstChild.Next
	p.Title, p.Summary = textOf(title), textOf(summary)
	head := blackfriday.NewNode(blackfriday.Document)
	head.AppendChild(title)
	head.AppendChild(summary)
	p.Head, p.Body = render(head), render(document)
	return p
}

const markdownExtensions = blackfriday.Tables | blackfriday.FencedCode | blackfriday.NoIntraEmphasis |
	blackfriday.SpaceHeadings

// render returns a node as HTML. The texts are podtrack's own.
func render(n *blackfriday.Node) template.HTML {
	var out bytes.Buffer
	r := blackfriday.NewHTMLRenderer(blackfriday.HTMLRendererParameters{})
	n.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		return r.RenderNode(&out, n, entering)
	})
	return template.HTML(out.String())
}

// newLink returns a link without content.
func newLink(destination string) *blackfriday.Node {
	link := blackfriday.NewNode(blackfriday.Link)
	link.Destination = []byte(destination)
	return link
}

// linkHeading makes a heading a link to itself.
func linkHeading(h *blackfriday.Node) {
	link := newLink("#" + h.HeadingID)
	for h.FirstChild != nil {
		link.AppendChild(h.FirstChild)
	}
	h.AppendChild(link)
}

// linkCommand makes a command that shows a topic, or a section that has a name, a link to it.
func linkCommand(n *blackfriday.Node) {
	words := strings.Fields(string(n.Literal))
	if len(words) != 3 || words[0] != "podtrack" || words[1] != "help" || n.Parent.Type == blackfriday.Link {
		return
	}
	target := words[2] + ".html"
	if s, found := sections[words[2]]; found {
		target = s.topic + ".html#" + anchors{}.add(s.title)
	} else if !slices.Contains(order, words[2]) {
		return
	}
	link := newLink(target)
	n.InsertBefore(link)
	link.AppendChild(n)
}

// textOf returns the text in a node.
func textOf(n *blackfriday.Node) string {
	var b strings.Builder
	n.Walk(func(n *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		if entering {
			b.Write(n.Literal)
		}
		return blackfriday.GoToNext
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

// anchors are the names of a document's headings.
type anchors map[string]bool

var noAnchor = textfmt.Pattern(`[^\p{L}\p{N} _-]`)

// add returns the name of a heading, as GitHub gives it.
func (a anchors) add(title string) string {
	id := noAnchor().ReplaceAllString(strings.ToLower(title), "")
	id = strings.ReplaceAll(id, " ", "-")
	unique := id
	for n := 1; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a[unique] = true
	return unique
}
