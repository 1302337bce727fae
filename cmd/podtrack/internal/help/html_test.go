package help

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestPages parses all pages: they have titles, and every link between them leads to a file and an anchor.
func TestPages(t *testing.T) {
	files, err := Pages()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]parsedPage{}
	for _, name := range append([]string{"index"}, order...) {
		pages[name+".html"] = parsePage(t, name+".html", files[name+".html"])
	}
	for _, topic := range Topics() {
		if got := pages[topic.Name+".html"].title; got != topic.Title+" · podtrack" {
			t.Errorf("%s has the title %q", topic.Name, got)
		}
	}
	links := 0
	for name, p := range pages {
		if p.title == "" {
			t.Errorf("%s has no title", name)
		}
		for _, link := range p.links {
			if strings.Contains(link, " ") {
				t.Errorf("%s: %q is no link, but blackfriday takes what follows ] and a space as one", name, link)
			}
			if strings.HasPrefix(link, "https://") {
				continue
			}
			links++
			file, anchor, hasAnchor := strings.Cut(link, "#")
			if file == "" {
				file = name
			}
			if files[file] == nil {
				t.Errorf("%s links to %s, which does not exist", name, link)
			}
			if hasAnchor && !slices.Contains(pages[file].anchors, anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, link)
			}
		}
	}
	for name, s := range sections { // what podtrack help NAME shows, linked in topics
		if !slices.ContainsFunc(pages[s.topic+".html"].headings, func(h string) bool { return h == s.title }) {
			t.Errorf("%s: %s has no heading %q", name, s.topic, s.title)
		}
	}
	if links < 400 {
		t.Errorf("only %d links", links)
	}
}

// parsedPage is what a test looks at in a page.
type parsedPage struct {
	title                    string
	links, anchors, headings []string
}

// parsePage reads a page, whose elements must be closed in order. It must have no scripts.
func parsePage(t *testing.T, name string, data []byte) (p parsedPage) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(data)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			p.add(t, name, token)
		case xml.EndElement:
			if last := open[len(open)-1]; last != token.Name.Local {
				t.Fatalf("%s: </%s> closes <%s>", name, token.Name.Local, last)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if slices.Contains(open, "title") {
				p.title += string(token)
			}
			if slices.Contains(open, "h2") {
				p.headings = append(p.headings, string(token))
			}
		}
	}
	return p
}

func (p *parsedPage) add(t *testing.T, name string, e xml.StartElement) {
	t.Helper()
	if e.Name.Local == "script" {
		t.Errorf("%s has a script", name)
	}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "id":
			if slices.Contains(p.anchors, a.Value) {
				t.Errorf("%s has two elements %q", name, a.Value)
			}
			p.anchors = append(p.anchors, a.Value)
		case "href", "src":
			p.links = append(p.links, a.Value)
		}
	}
}

// TestPageLink: documents of other folders are read in the repository.
func TestPageLink(t *testing.T) {
	for link, want := range map[string]string{
		"runs.md":                             "runs.html",
		"runs.md#filters":                     "runs.html#filters",
		"#here":                               "#here",
		"https://mlflow.org/a.md":             "https://mlflow.org/a.md",
		"../../../../../schema/FORMAT.md#bit": sources + "/schema/FORMAT.md#bit",
		"../other/runs.md":                    sources + "/cmd/podtrack/internal/help/other/runs.md",
	} {
		if got := pageLink(topicsDir, link); got != want {
			t.Errorf("%s leads to %s, want %s", link, got, want)
		}
	}
}

// TestAnchors: headings of one title have anchors of their own.
func TestAnchors(t *testing.T) {
	a := anchors{}
	for _, want := range []string{"values-of-σ-and-kappa", "values-of-σ-and-kappa-1"} {
		if got := a.add("Values of σ, and kappa?"); got != want {
			t.Errorf("anchor %q, want %q", got, want)
		}
	}
}
