// Package figure shows what was recorded: for papers, for a screen, and as the numbers behind the picture.
//
// What goes in are runs, or the reports that other packages made of them; what comes out is a picture, a caption, or a
// table of numbers.
//
// A [Figure] is data first: [Walk], [Spectrum], [Coverage] and the others are plain types with a [DataTable], one file
// each, and each returns a chart that says how to draw it. A [Source] is a run, or one iteration, to read. [Write]
// writes one of [Formats]; [Kinds] lists what users can ask for.
//
// A long series is reduced while it is read, to what a picture of that width can show, so neither memory nor the file
// grows with the steps. Series differ by dashes or marks as well as by colour. A legend or a note names each spread,
// and each axis has its unit.
package figure
