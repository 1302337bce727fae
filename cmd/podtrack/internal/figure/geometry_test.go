package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// placedText is a text with the box that its letters take, in points from the left and from the bottom.
type placedText struct {
	text                     string
	size                     float64 // of the font, in points
	left, bottom, right, top float64
}

// overlaps reports whether two texts share more than the room around letters.
func (p placedText) overlaps(b placedText) bool {
	const slack = 0.3
	return min(p.right, b.right)-max(p.left, b.left) > slack && min(p.top, b.top)-max(p.bottom, b.bottom) > slack
}

// textPlaces is a canvas that records where texts are drawn, and nothing else.
type textPlaces struct {
	recorder.Canvas
	placed []placedText
	states []placement
}

// placement is a translation and a turn of the canvas.
type placement struct{ x, y, turn float64 }

func (t *textPlaces) now() *placement {
	if len(t.states) == 0 {
		t.states = append(t.states, placement{})
	}
	return &t.states[len(t.states)-1]
}

func (t *textPlaces) Push() { t.states = append(t.states, *t.now()) }
func (t *textPlaces) Pop()  { t.states = t.states[:len(t.states)-1] }

func (t *textPlaces) Rotate(angle float64) { t.now().turn += angle }

func (t *textPlaces) Translate(by vg.Point) {
	at := t.at(by)
	t.now().x, t.now().y = at[0], at[1]
}

func (t *textPlaces) at(p vg.Point) [2]float64 {
	s, sin, cos := t.now(), math.Sin(t.now().turn), math.Cos(t.now().turn)
	x, y := float64(p.X), float64(p.Y)
	return [2]float64{s.x + x*cos - y*sin, s.y + x*sin + y*cos}
}

// FillString implements [vg.Canvas]. Capitals and digits reach 0.7 of the size above the line, and commas 0.15 below.
func (t *textPlaces) FillString(face font.Face, at vg.Point, line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	size := face.Font.Size
	low, high := t.at(at.Add(vg.Point{Y: -0.15 * size})), t.at(at.Add(vg.Point{X: face.Width(line), Y: 0.7 * size}))
	t.placed = append(t.placed, placedText{text: line, size: float64(size), left: min(low[0], high[0]),
		bottom: min(low[1], high[1]), right: max(low[0], high[0]), top: max(low[1], high[1])})
}

// textsOf returns the texts of a figure with their places.
func textsOf(t interface{ Fatal(...any) }, f Figure, s chart.Style) (*chart.Layout, []placedText) {
	l, err := chart.Arrange(f.chart(), s)
	if errors.Is(err, chart.ErrNarrow) || errors.Is(err, chart.ErrTall) {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var c textPlaces
	l.Draw(&c)
	return l, c.placed
}

// geometryFaults returns what is wrong with the places of texts: those that leave the picture or overlap.
func geometryFaults(l *chart.Layout, texts []placedText) (faults []string) {
	for i, a := range texts {
		if a.left < -0.3 || a.right > l.Width+0.3 || a.bottom < -0.3 || a.top > l.Height+0.3 {
			faults = append(faults, fmt.Sprintf("%q leaves the picture of %.0f × %.0f points: %.1f to %.1f, %.1f to %.1f",
				a.text, l.Width, l.Height, a.left, a.right, a.bottom, a.top))
		}
		for _, b := range texts[:i] {
			if a.overlaps(b) {
				faults = append(faults, fmt.Sprintf("%q overlaps %q at %.1f, %.1f", a.text, b.text, a.left, a.bottom))
			}
		}
	}
	return faults
}

// TestTextsApart: whatever the width, the texts of a figure are inside the picture and apart from each other.
func TestTextsApart(t *testing.T) {
	figures := drawn()
	for name, f := range crowdedFigures() {
		figures["crowded "+name] = f
	}
	for name, f := range figures {
		for width := 2.0; width <= 20; width += 0.5 {
			l, texts := textsOf(t, f, chart.Style{Width: width * 72, Title: true})
			if l == nil {
				continue
			}
			if faults := geometryFaults(l, texts); len(faults) > 0 {
				t.Errorf("%s, %g inches wide: %s", name, width, strings.Join(faults, "\n"))
				break
			}
		}
	}
}

// TestColumnOfAPaper: in the width of a column of a paper every text has 7 points or more, and each text of the legend
// and of the rows is there, in one or more lines.
func TestColumnOfAPaper(t *testing.T) {
	for name, f := range drawn() {
		l, texts := textsOf(t, f, chart.Style{Width: 3.25 * 72})
		if l == nil {
			t.Errorf("%s has no room", name)
			continue
		}
		var words []string
		for _, text := range texts {
			if words = append(words, strings.Fields(text.text)...); text.size < 7 {
				t.Errorf("%s: %q has %.1f points", name, text.text, text.size)
			}
		}
		for _, key := range l.Keys {
			for _, word := range strings.Fields(key.Text) {
				if !slices.Contains(words, word) && len(word) < 40 {
					t.Errorf("%s: the legend lacks %q", name, word)
				}
			}
		}
		if o, ok := f.(Outcomes); ok {
			for _, i := range o.rows() {
				for _, word := range strings.Fields(o.Of.Settings[0].Variants[i].Text()) {
					if !slices.Contains(words, word) {
						t.Errorf("%s: a row lacks %q", name, word)
					}
				}
			}
		}
	}
}

// TestLegends: legends, titles and ranges of any length keep their texts inside and apart.
func TestLegends(t *testing.T) {
	word := rapid.StringMatching(`[a-z=0-9.,+ ]{1,40}`)
	rapid.Check(t, func(t *rapid.T) {
		w := Walk{
			Title: word.Draw(t, "title"), Steps: rapid.Int64Range(1, 1e12).Draw(t, "steps"),
			Boundaries: []int64{1},
		}
		for _, name := range rapid.SliceOfN(word, 1, chart.MaxSeries).Draw(t, "names") {
			high := rapid.Float64Range(-1e9, 1e9).Draw(t, "position")
			w.Tracks = append(w.Tracks, Trace{Name: name, Points: []chart.Point{{X: 0, Y: 0}, {X: float64(w.Steps), Y: high}}})
		}
		l, texts := textsOf(t, w, chart.Style{Width: rapid.Float64Range(2*72, 20*72).Draw(t, "width"), Title: true})
		if l == nil {
			return
		}
		if faults := geometryFaults(l, texts); len(faults) > 0 {
			t.Fatal(strings.Join(faults, "\n"))
		}
		var all []string
		for _, text := range texts {
			all = append(all, text.text)
		}
		for _, track := range w.Tracks {
			for _, of := range strings.Fields(track.Name) {
				isIn := func(text string) bool { // whole or, if it is wider than the picture, without its middle
					head, tail, isCut := strings.Cut(text, "…")
					return strings.Contains(text, of) || isCut && strings.HasPrefix(of, head) && strings.HasSuffix(of, tail)
				}
				if !slices.ContainsFunc(all, isIn) {
					t.Fatalf("the legend has no %q: %q", of, all)
				}
			}
		}
	})
}

// crowdedFigures returns figures with as many texts as they can get.
func crowdedFigures() map[string]Figure {
	var spectrum Spectrum
	var purposes selectedPurposes
	similarity := RunSimilarity{}
	for i := range 40 {
		purposes.Features = append(purposes.Features, fmt.Sprintf("state%d", 100*i))
	}
	for k := range 9 {
		spectrum.Iterations = append(spectrum.Iterations, IterationSpectrum{K: k, Sigma: []float64{1000, 1, 1e-5}})
		for j := 1; j < 5; j++ {
			purposes.Purposes = append(purposes.Purposes, positivePurpose{k, j, 1, make([]float64, 40)})
		}
	}
	for i := range 30 {
		similarity.Runs = append(similarity.Runs, fmt.Sprintf("a-rather-long-name-%d", i))
		similarity.Similarity = append(similarity.Similarity, make([]*float64, 30))
	}
	return map[string]Figure{"spectrum": spectrum, "purposes": purposes, "group": similarity}
}

// TestLongLegend: a legend that is longer than a line goes on below it, whole.
func TestLongLegend(t *testing.T) {
	name := "gamma=0.99 steps=1000 reading=as-published hide=3 dataset=cumulative (30)"
	w := Walk{Steps: 1, Tracks: []Trace{{Name: name}}}
	_, texts := textsOf(t, w, chart.Style{Width: 2 * 72})
	var all []string
	for _, text := range texts {
		all = append(all, text.text)
	}
	if got := strings.Join(all, " "); !strings.HasPrefix(got, name) {
		t.Errorf("the legend is %q", got)
	}
}
