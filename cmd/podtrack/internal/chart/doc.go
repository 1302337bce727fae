// Package chart draws: panels with axes and marks, a title, a legend above them and notes below, as PNG, SVG and PDF.
// It knows nothing of runs.
//
// A [Chart] says what to draw, without a size: panels, axes and marks, whose [Ink] is a colour in each theme. [Arrange]
// gives all of it a place for a [Style], and [Layout.Write] writes the picture:
//
//	c := chart.Chart{Title: "Squares", Columns: 1, Panels: []chart.Panel{{
//		X: chart.Axis{Label: "x", High: 2}, Y: chart.Axis{Label: "x²", High: 4}, Aspect: 0.5,
//		Marks: []chart.Mark{chart.Line{Points: []chart.Point{{0, 0}, {1, 1}, {2, 4}}, Ink: chart.SeriesInk(0)}},
//	}}}
//	l, err := chart.Arrange(c, chart.Style{Width: 3.25 * 72})
//	if err == nil {
//		err = l.Write(w, "svg")
//	}
//
// The same chart has the same bytes each time, in each format, on each machine. Text stays within the space that was
// measured for it: a PNG has pixels, a PDF embeds the letters of the font that it uses, and an SVG says how wide each
// text is, for programs without its font. The text of both can be searched and copied.
//
// gonum's vg draws lines and text; panels, axes and legends are our own, some 500 lines. gonum's plot has one data area
// to a canvas, with its legend inside. Here panels share axes and a legend, and the data areas take what is left of a
// given width and height.
package chart
