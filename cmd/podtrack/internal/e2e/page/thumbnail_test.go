package page

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// A thumbnail is how much there is to see in each part of a picture, lines and letters, in 48 rows
// of 28 cells, and how high the picture is: little enough to be kept as text, and about the same
// with other fonts, but not where a part of a view is gone or elsewhere.
type thumbnail struct {
	height int // pixels
	ground int // how light the ground is, from 0 to 255
	cells  cells
}

const (
	thumbnailRows    = 48
	thumbnailColumns = 28
)

type cells [thumbnailRows][thumbnailColumns]float64

// The signs of a cell, from one with nothing in it to one full of contrasts.
const signs = ".123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"

// Other fonts make text a bit wider, and move it by a part of a cell: a cell with those around it
// differs by some levels of 64, and few do among their neighbours. Where a chart is gone, or a
// panel is beside its place, most cells of a part of the picture differ.
const (
	cellTolerance   = 7.0 // levels
	partTolerance   = 0.3 // share of the cells of a part
	partRows        = thumbnailRows / 8
	partColumns     = thumbnailColumns / 2
	groundTolerance = 8    // of 255
	heightTolerance = 0.15 // share of the height
)

// newThumbnail reduces a PNG, of a view that is so high.
func newThumbnail(data []byte, height int) (t thumbnail, err error) {
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return t, err
	}
	size := picture.Bounds()
	gray := image.NewGray(size)
	draw.Draw(gray, size, picture, size.Min, draw.Src)
	t.height, t.ground = height, commonest(gray.Pix)
	var count cells
	at := func(x, y int) float64 { return float64(gray.Pix[y*gray.Stride+x]) / 256 }
	for y := 1; y < size.Dy(); y++ {
		for x := 1; x < size.Dx(); x++ {
			row, column := y*thumbnailRows/size.Dy(), x*thumbnailColumns/size.Dx()
			t.cells[row][column] += math.Abs(at(x, y)-at(x-1, y)) + math.Abs(at(x, y)-at(x, y-1))
			count[row][column]++
		}
	}
	for row := range t.cells {
		for column, sum := range t.cells[row] {
			t.cells[row][column] = math.Sqrt(sum/max(1, count[row][column])) * float64(len(signs))
		}
	}
	return t, nil
}

// commonest returns the level that most pixels have.
func commonest(levels []uint8) (level int) {
	var count [256]int
	for _, level := range levels {
		count[level]++
	}
	return slices.Index(count[:], slices.Max(count[:]))
}

// difference returns in words how two thumbnails differ by more than the tolerance, "" if they do not.
func (t thumbnail) difference(other thumbnail) string {
	high, low := max(t.height, other.height), min(t.height, other.height)
	if float64(high-low) > heightTolerance*float64(high) {
		return fmt.Sprintf("the view is %d pixels high, and was %d", other.height, t.height)
	}
	if math.Abs(float64(t.ground-other.ground)) > groundTolerance {
		return fmt.Sprintf("the ground is %d light, and was %d", other.ground, t.ground)
	}
	if share := t.cells.differing(other.cells); share > partTolerance {
		return fmt.Sprintf("%.0f %% of a part of the view differ", 100*share)
	}
	return ""
}

// differing returns the share of differing cells in the part of the picture where most of them do.
func (c cells) differing(other cells) (most float64) {
	var parts [thumbnailRows][2]int // the part that begins with the row, its left and its right half
	was, is := c.blurred(), other.blurred()
	for row := range was {
		for column := range was[row] {
			if math.Abs(was[row][column]-is[row][column]) <= cellTolerance {
				continue
			}
			for begins := max(0, row-partRows+1); begins <= row; begins++ {
				parts[begins][column/partColumns]++
			}
		}
	}
	for _, part := range parts {
		most = max(most, float64(max(part[0], part[1]))/(partRows*partColumns))
	}
	return most
}

// blurred returns the mean of each cell and those around it.
func (c cells) blurred() (means cells) {
	for row := range c {
		for column := range c[row] {
			n := 0.0
			for r := max(0, row-1); r <= min(thumbnailRows-1, row+1); r++ {
				for _, level := range c[r][max(0, column-1):min(thumbnailColumns, column+2)] {
					means[row][column] += level
					n++
				}
			}
			means[row][column] /= n
		}
	}
	return means
}

// thumbnails are those of one view, kept in a file of testdata.
type thumbnails struct {
	path string
	kept map[string]thumbnail // by width and theme
}

var notInNames = regexp.MustCompile("[^A-Za-z0-9.,=+-]+")

// thumbnailName returns the name of a view's file.
func thumbnailName(address string) string {
	if text, err := url.QueryUnescape(strings.ReplaceAll(address, "+", "%20")); err == nil {
		address = text
	}
	return cmp.Or(strings.Trim(notInNames.ReplaceAllString(address, "-"), "-"), "runs")
}

func openThumbnails(t *testing.T, address string) *thumbnails {
	t.Helper()
	k := &thumbnails{path: filepath.Join("testdata", "views", thumbnailName(address)+".txt"), kept: map[string]thumbnail{}}
	text, err := os.ReadFile(k.path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if lines := strings.Split(block, "\n"); block != "" {
			name, height, _ := strings.Cut(lines[0], ", ")
			k.kept[name] = parseThumbnail(t, height, lines[1:])
		}
	}
	return k
}

func parseThumbnail(t *testing.T, height string, lines []string) (small thumbnail) {
	t.Helper()
	_, err := fmt.Sscanf(height, "%d pixels high on %d", &small.height, &small.ground)
	if err != nil || len(lines) != thumbnailRows {
		t.Fatalf("a thumbnail of %d lines, %q: %v", len(lines), height, err)
	}
	for row, line := range lines {
		for column := range thumbnailColumns {
			small.cells[row][column] = float64(strings.IndexByte(signs, line[column])) + 0.5
		}
	}
	return small
}

// compare fails where a view does not look as its thumbnail, once it had the time to.
func (k *thumbnails) compare(t *testing.T, name string, take func() thumbnail) {
	t.Helper()
	if *updateViews {
		k.kept[name] = take()
		return
	}
	kept, found := k.kept[name]
	if !found {
		t.Errorf("there is no thumbnail %s in %s: look at the view, and run the test with -update-views", name, k.path)
		return
	}
	var difference string
	for range lateViews {
		if difference = kept.difference(take()); difference == "" {
			return
		}
	}
	t.Errorf("%s: %s; look at the view with -screenshots FOLDER, and if it is right run the test with -update-views",
		name, difference)
}

// lateViews is how often a view that differs is looked at before it fails: what is late is drawn meanwhile.
const lateViews = 5

// close writes the thumbnails where they are to be updated.
func (k *thumbnails) close(t *testing.T) {
	t.Helper()
	if !*updateViews {
		return
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(k.kept)) {
		fmt.Fprintf(&text, "%s, %d pixels high on %d\n%s\n\n", name, k.kept[name].height, k.kept[name].ground, k.kept[name])
	}
	e2e.Must(t, os.MkdirAll(filepath.Dir(k.path), 0o777))
	e2e.Must(t, os.WriteFile(k.path, []byte(strings.TrimSuffix(text.String(), "\n")), 0o666))
}

func (t thumbnail) String() string {
	var rows []string
	for _, cells := range t.cells {
		var row []byte
		for _, level := range cells {
			row = append(row, signs[min(int(level), len(signs)-1)])
		}
		rows = append(rows, string(row))
	}
	return strings.Join(rows, "\n")
}
