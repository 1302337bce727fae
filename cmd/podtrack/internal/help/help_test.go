package help

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
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

// TestExamplesFirst: a topic shows an example before it explains; at most four lines lead to it.
func TestExamplesFirst(t *testing.T) {
	for _, name := range order {
		if name == "glossary" {
			continue
		}
		before := 0
		for _, line := range readLines(t, "topics/"+name+".md")[3:] { // below the title and the summary
			if strings.HasPrefix(line, "```") {
				break
			}
			if line != "" {
				before++
			}
		}
		if before > 4 {
			t.Errorf("%s: %d lines stand before the first example", name, before)
		}
	}
}

func TestUnknownTopic(t *testing.T) {
	for _, name := range []string{"", "nothing", "../help", "tour.md"} {
		if _, err := Text(name); !errors.Is(err, errNoTopic) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// developers are the documents about the code.
var developers = []string{repository + "/ARCHITECTURE.md", repository + "/CONTRIBUTING.md"}

// documents returns the paths of all documents that these tests look at, from this
// package's folder.
func documents() []string {
	paths := append([]string{
		repository + "/README.md",
		repository + "/CHANGELOG.md",
		repository + "/SECURITY.md",
		repository + "/CODE_OF_CONDUCT.md",
		repository + "/schema/FORMAT.md",
		repository + "/replay/external/PROTOCOL.md",
	}, developers...)
	for _, name := range order {
		paths = append(paths, "topics/"+name+".md")
	}
	return paths
}

// TestLines keeps lines within 120 columns, but for tables and what commands print. All of them are UTF-8.
func TestLines(t *testing.T) {
	for _, path := range documents() {
		inBlock := false
		for i, line := range readLines(t, path) {
			if !utf8.ValidString(line) {
				t.Errorf("%s:%d is not UTF-8: %q", path, i+1, line)
			}
			fence := strings.HasPrefix(line, "```")
			if fence {
				inBlock = !inBlock
			}
			if inBlock || fence || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    ") {
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
	for _, path := range documents() {
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

// quoted is a word in backquotes.
var quoted = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_./-]*)`")

// TestCodeExists looks up the files and the names of Go that the developers' documents
// speak of. Names in capitals stand for what is to be written.
func TestCodeExists(t *testing.T) {
	code := goCode(t)
	for _, path := range developers {
		for _, m := range quoted.FindAllStringSubmatch(strings.Join(readLines(t, path), "\n"), -1) {
			word := m[1]
			switch {
			case strings.Contains(word, "NAME"), word == "doc.go": // every package has one
			case isPath(word):
				if !existsBelow(word, ".", "tracker", "cmd/podtrack", "cmd/podtrack/internal",
					"cmd/podtrack/internal/help/topics") {
					t.Errorf("%s speaks of %s, which does not exist", path, word)
				}
			case regexp.MustCompile(`[a-z.][A-Z]`).MatchString(word) && !strings.Contains(word, "/"):
				name := word[strings.LastIndex(word, ".")+1:]
				if !regexp.MustCompile(`\b` + name + `\b`).MatchString(code) {
					t.Errorf("%s speaks of %s, which no Go file has", path, word)
				}
			}
		}
	}
}

// TestBenchmarksExist: a benchmark that a document has people run is in the package that it names.
func TestBenchmarksExist(t *testing.T) {
	command := regexp.MustCompile(`go test \./(\S+) -bench\s+'?([A-Za-z|]+)`)
	topics, err := filepath.Glob("topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(topics, developers...) {
		text := strings.Join(strings.Fields(strings.Join(readLines(t, path), " ")), " ")
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			tests, err := filepath.Glob(filepath.Join(repository, m[1], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found++
			for _, name := range strings.Split(m[2], "|") {
				pattern := regexp.MustCompile(`(?m)^func Benchmark\w*` + name)
				if !slices.ContainsFunc(tests, func(file string) bool {
					return pattern.MatchString(strings.Join(readLines(t, file), "\n"))
				}) {
					t.Errorf("%s: there is no benchmark %s in %s", path, name, m[1])
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d benchmarks are named", found)
	}
}

// isPath reports whether a word is the path of a file, or of a folder with code.
func isPath(word string) bool {
	folder := regexp.MustCompile(`^(schema|pod|tracker|replay|cmd|internal|help|web|command|versus)/`)
	file := regexp.MustCompile(`[a-z0-9]\.(go|md|json|sh|txtar)$`)
	return folder.MatchString(word) || file.MatchString(word)
}

func existsBelow(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(repository, folder, path))
		return err == nil
	})
}

// goCode returns all Go files of the repository, one behind the other.
func goCode(t *testing.T) string {
	t.Helper()
	var code strings.Builder
	err := filepath.WalkDir(repository, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code.String()
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

// TestGlossaryHasColumns checks that the glossary defines every column of the program's tables.
func TestGlossaryHasColumns(t *testing.T) {
	defined := glossaryEntries()
	check := func(titles []string, err error) {
		t.Helper()
		if err != nil || len(titles) == 0 {
			t.Fatalf("%d titles of columns: %v", len(titles), err)
		}
		for _, title := range titles {
			if !slices.Contains(defined, title) {
				t.Errorf("the glossary does not define the column %q", title)
			}
		}
	}
	check(tableColumns("../"))
	check(report.FilterKeys(), nil) // the columns of ls
	var measures []string
	for _, name := range report.MeasureNames() {
		title, _ := report.MeasureTitle(name)
		measures = append(measures, title)
	}
	check(measures, nil)
	for _, stage := range stages.All {
		check([]string{stage, stage + " ms"}, nil)
	}
}

// glossaryEntries returns the words that the glossary defines.
func glossaryEntries() (words []string) {
	for _, s := range Glossary() {
		for _, e := range s.Entries {
			words = append(words, e.Names()...)
		}
	}
	return words
}

// tableColumns returns the titles of columns in the Go files below a folder: the texts in calls of As, and of
// table.Left and table.Right where no As follows.
func tableColumns(folder string) (titles []string, err error) {
	return titles, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		fields := map[ast.Node]bool{} // calls whose text is no title
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch f, ok := call.Fun.(*ast.SelectorExpr); {
			case !ok:
			case f.Sel.Name == "As" && len(call.Args) == 1:
				titles = append(titles, textsIn(call.Args[0])...)
				fields[f.X] = true
			case fmt.Sprint(f.X) == "table" && (f.Sel.Name == "Left" || f.Sel.Name == "Right") && !fields[call]:
				titles = append(titles, textsIn(call.Args[0])...)
			}
			return true
		})
		return nil
	})
}

// textsIn returns the texts in an expression that are titles: not empty, nor parts of
// titles that are put together, but for their first word.
func textsIn(n ast.Node) (texts []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			title, _ := strconv.Unquote(text.Value)
			title, _, _ = strings.Cut(title, " [%")
			title = strings.TrimSpace(strings.Replace(title, "%d", "N", 1))
			if title != "" && title != "ms" {
				texts = append(texts, title)
			}
		}
		return true
	})
	return texts
}

// TestCodeLines keeps the lines of code within 120 columns.
func TestCodeLines(t *testing.T) {
	err := filepath.WalkDir(repository, func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		for i, line := range readLines(t, path) {
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%s:%d has %d columns", path, i+1, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestGlossary: the glossary as data has every row of the topic, without the marks of Markdown.
func TestGlossary(t *testing.T) {
	rows := 0
	for _, line := range readLines(t, "topics/glossary.md") {
		if strings.HasPrefix(line, "| ") && !strings.HasSuffix(line, "| meaning |") {
			rows++
		}
	}
	for _, s := range Glossary() {
		for _, e := range s.Entries {
			rows--
			if e.Word == "" || e.Meaning == "" || strings.ContainsAny(e.Word+e.Meaning, "`\x00*\\") {
				t.Errorf("%s: %q means %q", s.Title, e.Word, e.Meaning)
			}
		}
	}
	if rows != 0 {
		t.Errorf("%d rows more or less", rows)
	}
}

// TestSections: each section that has a name is there, whole, and without its neighbours.
func TestSections(t *testing.T) {
	for name, s := range sections {
		text, err := Text(name)
		if err != nil || !strings.HasPrefix(text, "# "+s.title+"\n\n") || strings.Contains(text, "\n## ") {
			t.Errorf("%s: %v\n%.80s", name, err, text)
		}
	}
}

// TestDefine looks up words as people type them.
func TestDefine(t *testing.T) {
	for _, word := range []string{"eigenpurpose", "Purpose", "κ", "kappa", "option number", "Ψ", "IQM"} {
		if len(Define(word)) == 0 {
			t.Errorf("nothing defines %q", word)
		}
	}
	for _, word := range []string{"", " ", "nothing of the kind", ","} {
		if found := Define(word); len(found) > 0 {
			t.Errorf("%q: %v", word, found)
		}
	}
}
