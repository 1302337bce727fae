package figure

import (
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/podtrack/podtrack/schema"
)

// ErrStill is the error of a figure that cannot be animated.
var ErrStill = errors.New("the figure does not move")

// animated is a figure that grows with the steps of a run.
type animated interface {
	Figure

	// span returns the steps from which to which the figure grows.
	span() (from, to int64)
	// frame returns the chart after so many steps. All have the same size.
	frame(step int64) chart
}

// Limits of an animation.
const (
	maxFrames      = 60
	maxFramePixels = 4 * maxPixels // of all frames
	animationDPI   = 120           // where none is asked for
	frameTime      = 100           // milliseconds
	lastFrameTime  = 2000

	// a line is drawn once for each frame, in a time that grows with the square of its points
	animationColumns = 200
)

// momentsOf returns the steps after which an animation has its frames, at equal distances, the last one included.
func momentsOf(from, to int64) (moments []int64) {
	n := max(min(to-from, maxFrames), 1)
	for i := int64(1); i <= n; i++ {
		moments = append(moments, from+(to-from)*i/n)
	}
	return moments
}

// momentNote returns the note of a frame, which tells where in the run it is.
func momentNote(step int64, boundaries []int64, first int) string {
	k := first
	for _, at := range boundaries {
		if step > at {
			k++
		}
	}
	return fmt.Sprintf("step %d, iteration %d", step, k)
}

// writeAnimation writes the figure as an animated PNG that is played once. Programs that play none show the last
// frame.
func writeAnimation(w io.Writer, f Figure, s Style) error {
	of, ok := underlying(f).(animated)
	if !ok {
		return ErrStill
	}
	from, to := of.span()
	moments := momentsOf(from, to)
	l, err := arrange(of.frame(to), s)
	if err != nil {
		return err
	}
	if n := pixelsOf(l, s.dpi()) * float64(len(moments)+1); n > maxFramePixels {
		return schema.Advise(fmt.Errorf("%w: %.0f million in %d frames", ErrPixels, n/1e6, len(moments)), AdviceFewerPixels)
	}
	whole := l.image(s)
	a, err := newAPNG(w, whole, len(moments), s.dpi())
	if err != nil {
		return err
	}
	for i, moment := range moments {
		picture := whole
		if moment != to {
			if l, err = arrange(of.frame(moment), s); err != nil {
				return err
			}
			picture = l.image(s)
		}
		wait := frameTime
		if i == len(moments)-1 {
			wait = lastFrameTime
		}
		if err := a.add(picture, wait); err != nil {
			return err
		}
	}
	return a.close()
}

// underlying returns the figure without the runs behind it.
func underlying(f Figure) Figure {
	if described, ok := f.(figureOfRuns); ok {
		return described.Figure
	}
	return f
}

// pixelsOf returns how many pixels a picture has.
func pixelsOf(l *layout, dpi int) float64 { return l.width / 72 * l.height / 72 * float64(dpi*dpi) }

// image draws the picture as pixels.
func (l *layout) image(s Style) *image.RGBA {
	return l.rasterise(themes[s.Theme], s.dpi()).Image().(*image.RGBA)
}
