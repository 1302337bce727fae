// Package figure draws what was recorded: for papers, for a screen, and as the
// numbers behind the picture.
//
// What flows in are runs, or the reports that other packages made of them; what
// flows out is a picture, or the table of its numbers.
//
// # The path to read
//
//  1. A [Figure] is data first: [Walk], [Spectrum], [Purposes] and the others are
//     plain types with a [DataTable]. One file each.
//  2. Each says as a chart how it is to be drawn: panels, axes and marks, without
//     a size. chart.go and axis.go have the words, mark.go and cells.go the marks.
//  3. layout_arrange.go gives everything its place for a width, layout_height.go for a
//     height; layout_legend.go is above the panels, text.go measures text, ticks.go divides
//     axes. draw.go draws with a pen. theme.go has the inks.
//  4. [Write] is a picture in one of [Formats].
//
// # Rules
//
//   - gonum's vg draws; panels, axes and legends are our own, some 500 lines. gonum's plot has one
//     data area to a canvas and its legend inside it. Here panels share axes and a legend above
//     them, and the data areas take what a given width and height leave.
//   - The same figure has the same bytes each time, in each format.
//   - A long series is reduced while it is read: [reducer] keeps what a picture of
//     that width can show, so that neither memory nor the file grows with the steps.
//   - Colours, their signs, the axis of states and the form of numbers are those of package grammar,
//     whose colours the page has too. What colours say is said by dashes or marks too.
//   - Text keeps to the room that was measured: a PNG has pixels, and a PDF and an SVG have the
//     letters of the font that they use (fontsubset.go). An SVG says how wide each text is, too, for
//     programs that take no font from it. The text of both can be searched and copied.
//   - A spread says which it is. An axis says what it is and in what unit.
package figure
