// Package textfmt is podtrack's own: it formats text for a terminal ([EscapeLine] makes invisible
// characters visible, [DidYouMean] suggests what was meant), a shell ([ShellQuote]) and a spreadsheet ([CSVCell]). It
// knows nothing of runs, and every other package may import it.
package textfmt
