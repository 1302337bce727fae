package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPDF reads documents back: their font is embedded, each line of text can be read, and they are the same
// each time.
func TestPDF(t *testing.T) {
	for name, f := range drawn() {
		got := render(t, f, "pdf", "dark")
		if !bytes.Equal(got, render(t, f, "pdf", "dark")) {
			t.Errorf("%s: two documents of one figure differ", name)
		}
		_, texts := textsOf(t, f, chart.Style{Width: 3.25 * 72, Theme: "dark", Title: true})
		var want []string
		for _, text := range texts {
			want = append(want, text.text)
		}
		if lines := linesOf(t, got); !slices.Equal(lines, want) {
			t.Errorf("%s: the lines are %q, want %q", name, lines, want)
		}
		if !bytes.Contains(got, []byte("/FontFile2")) {
			t.Errorf("%s has no font", name)
		}
		checkReferences(t, got)
	}
}

// checkReferences compares the table of objects with where they are.
func checkReferences(t *testing.T, document []byte) {
	t.Helper()
	at := bytes.LastIndex(document, []byte("xref\n0 "))
	start := bytes.Index(document, []byte("startxref\n"))
	if got := string(document[start+len("startxref\n"):]); got != fmt.Sprintf("%d\n%%%%EOF\n", bytes.Index(document,
		[]byte("\nxref\n"))+1) {
		t.Errorf("the table begins at %q", got)
	}
	for i, entry := range regexp.MustCompile(`(\d{10}) 00000 n `).FindAllSubmatch(document[at:], -1) {
		offset, _ := strconv.Atoi(string(entry[1]))
		if !bytes.HasPrefix(document[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d is not at %d", i+1, offset)
		}
	}
}

// linesOf returns the lines of text of a document, in their order.
func linesOf(t *testing.T, document []byte) (lines []string) {
	t.Helper()
	_, after, _ := bytes.Cut(document, []byte("\nstream\n")) // the first one has the page
	z, err := zlib.NewReader(bytes.NewReader(after))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range regexp.MustCompile(`(?s)Td \((.*?)\) Tj ET\n`).FindAllSubmatch(content, -1) {
		codes := strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")", `\r`, "\r").Replace(string(text[1]))
		var units []uint16
		for i := 0; i < len(codes); i += 2 {
			units = append(units, uint16(codes[i])<<8|uint16(codes[i+1]))
		}
		lines = append(lines, string(utf16.Decode(units)))
	}
	return lines
}

// TestPDFElsewhere has another program find the font and the text.
func TestPDFElsewhere(t *testing.T) {
	schematest.NeedsPrograms(t, "pdffonts", "pdftotext")
	path := filepath.Join(t.TempDir(), "figure.pdf")
	for name, f := range drawn() {
		if err := os.WriteFile(path, render(t, f, "pdf", "light"), 0o666); err != nil {
			t.Fatal(err)
		}
		fonts, err := exec.Command("pdffonts", path).CombinedOutput()
		if err != nil || !regexp.MustCompile(`\+LiberationSans +CID TrueType +Identity-H +yes yes yes`).Match(fonts) {
			t.Errorf("%s: %v: %s", name, err, fonts)
		}
		text, err := exec.Command("pdftotext", path, "-").CombinedOutput()
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, want := range strings.Fields(f.chart().Title) {
			if err != nil || !strings.Contains(words, want) {
				t.Errorf("%s: %v: no text %q in %s", name, err, want, words)
			}
		}
	}
}
