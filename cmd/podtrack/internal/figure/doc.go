// Package figure shows what was recorded: for papers, for a screen, and as the numbers behind the picture.
//
// What goes in are runs, or the reports that other packages made of them; what comes out is a picture, a caption, or a
// table of numbers.
//
// A [Figure] is data first: [Walk], [Spectrum], [Purposes] and the others are plain types with a [DataTable], one file
// each, and each says as a chart how it is drawn. A [Source] is the run, or the iteration, that one of them reads. [Write]
// writes one of [Formats]; [Kinds] lists what users can ask for.
//
// A long series is reduced while it is read, to what a picture of that width can show, so neither memory nor the file
// grows with the steps. What colours say is said by dashes or marks too. A spread says which it is; an axis says what it
// is and in what unit.
package figure
