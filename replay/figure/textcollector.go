package figure

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// textCollector is a canvas that keeps the texts that are drawn, and nothing else.
type textCollector struct{ lines []string }

var _ vg.Canvas = (*textCollector)(nil)

// FillString implements [vg.Canvas].
func (c *textCollector) FillString(_ font.Face, _ vg.Point, line string) {
	c.lines = append(c.lines, line)
}

func (*textCollector) SetLineWidth(vg.Length)              {}
func (*textCollector) SetLineDash([]vg.Length, vg.Length)  {}
func (*textCollector) SetColor(color.Color)                {}
func (*textCollector) Rotate(float64)                      {}
func (*textCollector) Translate(vg.Point)                  {}
func (*textCollector) Scale(_, _ float64)                  {}
func (*textCollector) Push()                               {}
func (*textCollector) Pop()                                {}
func (*textCollector) Stroke(vg.Path)                      {}
func (*textCollector) Fill(vg.Path)                        {}
func (*textCollector) DrawImage(vg.Rectangle, image.Image) {}
