// Package textform writes text for those who read it: people at a terminal, who must see what is invisible
// ([EscapeLine]) and what they may have meant ([DidYouMean]); shells ([ShellQuote]); spreadsheets
// ([CSVCell]). It knows nothing of podtrack, and every other package may import it.
package textform
