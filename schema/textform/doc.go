// Package textform is podtrack's own: it writes text for those who read it, which are people at a terminal, who must
// see what is invisible ([EscapeLine]) and what they may have meant ([DidYouMean]); shells ([ShellQuote]); spreadsheets
// ([CSVCell]). It knows nothing of runs, and every other package may import it. It is not called text, since some
// sixty functions that use it have a variable of that name.
package textform
