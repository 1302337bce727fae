package help

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// repository is the repository's folder, seen from this package's.
const repository = "../../../.."

func TestEveryFileIsATopic(t *testing.T) {
	names, err := filepath.Glob("topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(filepath.Base(name), ".md")
	}
	slices.Sort(names)
	if listed := slices.Sorted(slices.Values(order)); !slices.Equal(names, listed) {
		t.Errorf("the folder has %v, the list has %v", names, listed)
	}
}

func TestTopics(t *testing.T) {
	for _, topic := range Topics() {
		text, err := Text(topic.Name)
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("# %s\n\n%s.\n\n", topic.Title, topic.Summary)
		if topic.Title == "" || topic.Summary == "" || !strings.HasPrefix(text, head) {
			t.Errorf("%s: does not begin with a title, an empty line and a summary that ends in a period", topic.Name)
		}
		if n := utf8.RuneCountInString(topic.Summary); n > 62 {
			t.Errorf("%s: the summary has %d characters, at most 62 fit beside its name", topic.Name, n)
		}
	}
}

func TestUnknownTopic(t *testing.T) {
	for _, name := range []string{"", "nothing", "../help", "tour.md"} {
		if _, err := Text(name); !errors.Is(err, ErrNoTopic) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// documents returns the paths of README.md and all topics, from this package's folder.
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{
		repository + "/README.md",
	}
	for _, name := range order {
		paths = append(paths, "topics/"+name+".md")
	}
	return paths
}

// TestLines keeps lines within 120 columns, but for tables and what commands print.
func TestLines(t *testing.T) {
	for _, path := range documents(t) {
		inBlock := false
		for i, line := range readLines(t, path) {
			fence := strings.HasPrefix(line, "```")
			if fence {
				inBlock = !inBlock
			}
			if inBlock || fence || strings.HasPrefix(line, "|") {
				continue
			}
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%s:%d has %d columns", path, i+1, n)
			}
		}
	}
}

// link is a Markdown link or picture.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks looks up what the documents link to in the repository, headings included.
func TestLinks(t *testing.T) {
	for _, path := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(strings.Join(readLines(t, path), "\n"), -1) {
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
				continue
			}
			if heading != "" && !slices.Contains(headings(t, target), heading) {
				t.Errorf("%s links to %s, which has no such heading", path, m[1])
			}
		}
	}
}

// headings returns the anchors of a document's headings, in GitHub's form.
func headings(t *testing.T, path string) (anchors []string) {
	t.Helper()
	punctuation := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, line := range readLines(t, path) {
		marks, title, found := strings.Cut(line, "# ")
		if !found || strings.Trim(marks, "#") != "" {
			continue
		}
		title = punctuation.ReplaceAllString(strings.ToLower(title), "")
		anchors = append(anchors, strings.ReplaceAll(title, " ", "-"))
	}
	return anchors
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
