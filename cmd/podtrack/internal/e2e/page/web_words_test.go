package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var updatePicture = flag.Bool("update-picture", false, "draw the picture of the page in the help topics")

// TestWholeNumbersOfThePage: seeds that a number of JavaScript cannot hold are shown as they are, in the list, in the
// spec and in what is compared, and a value that is cut has an ellipsis and its whole as title.
func TestWholeNumbersOfThePage(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	seeds := []string{"9007199254740993", "1234567890", "18446744073709551615", "7"}
	for i, seed := range seeds {
		e2e.Start(t, "run", "--bits", "4", "--steps", "20", "--iterations", "1", "--seed", seed, "--name",
			fmt.Sprintf("s%d", i), "--store", store).Exit(t, 0)
	}
	e2e.Start(t, "label", "s0", "--tag", "a-tag-of-more-letters-than-a-column-has", "--store", store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1600, "light")
	b.open("/?sort=name&columns=seed,tag")
	b.sees("4 runs")
	if got := b.column("seed"); got != strings.Join(seeds, " ") {
		t.Errorf("the seeds are %s", got)
	}
	if cut := b.eval(cutCells); cut != "" {
		t.Errorf("cut without an ellipsis, or without a title: %s", cut)
	}
	if tag := b.eval(`document.querySelector("a.value[title*='a-tag-of']").innerText`); !strings.HasSuffix(tag, "…") {
		t.Errorf("the tag is %s", tag)
	}
	b.open("/run/s0")
	b.sees("seed=9007199254740993")
	b.open("/compare?q=s0&q=s2&by=seed")
	b.sees("9007199254740993", "18446744073709551615")
}

// cutCells lists cells that do not show all of their text and have no ellipsis, or no title once they are pointed at.
const cutCells = `[...document.querySelectorAll("td")].filter((cell) => {
	if (cell.scrollWidth <= cell.clientWidth) return false;
	cell.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
	return getComputedStyle(cell).textOverflow !== "ellipsis" || !cell.title;
}).map((cell) => cell.innerText).join()`

// TestDocumentPicture: the picture of the page in the help topics shows the words that the page has now, which a file
// beside the test lists; -update-picture makes both anew.
func TestDocumentPicture(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--reading", "as-published", "--seed", "0", "--name", "published", "--store", store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1400, "light")
	b.open("/run/published")
	b.sees("Measures by iteration", "Exploration")
	b.settle()
	b.eval(`document.querySelector("#measures").scrollIntoView({ behavior: "instant" })`)
	b.settle()
	words := b.eval(`["measures", "exploration"].map((id) => document.getElementById(id).innerText).join("\n")`) + "\n"
	words = strings.ReplaceAll(words, "\u00a0", " ")
	const file = "testdata/picture.txt"
	if *updatePicture {
		shot := sendCommand(b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		picture := e2e.Repository(t, "cmd/podtrack/internal/help/topics/page.png")
		e2e.Must(t, os.WriteFile(picture, shot.Data, 0o666))
		e2e.Must(t, os.WriteFile(file, []byte(words), 0o666))
	}
	if drawn, err := os.ReadFile(file); err != nil || string(drawn) != words {
		t.Errorf("the picture page.png of the help topics has other words than the page; draw it again with "+
			"-update-picture: %v\n%s", err, words)
	}
}
