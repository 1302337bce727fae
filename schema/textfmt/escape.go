package textfmt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeText returns text with control and invisible characters as \u escapes, which JSON
// reads as the same text, and invalid UTF-8 as \x escapes. Line feeds and tabs stay.
func EscapeText(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/4)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case IsHidden(r):
			for _, unit := range utf16.Encode([]rune{r}) { // two surrogates if JSON needs two
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// EscapeLine returns text escaped for display within one line, with line feeds and tabs as \n and \t.
func EscapeLine(text string) string {
	if strings.ContainsAny(text, "\n\t") {
		text = lineEscapes.Replace(text)
	}
	if isPlain(text) {
		return text
	}
	return string(EscapeText([]byte(text)))
}

var lineEscapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// isPlain reports whether no character of the text needs an escape.
func isPlain[T string | []byte](text T) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf {
			rest := string(text[i:])
			return utf8.ValidString(rest) && !strings.ContainsFunc(rest, IsHidden)
		} else if IsHidden(rune(c)) {
			return false
		}
	}
	return true
}

// IsHidden reports whether a terminal interprets a character, except line feed and tab, or
// shows nothing for it: control and format characters, which include those that change the
// direction of text and those of no width, and line separators.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0xe0000 && r <= 0xe0fff // tags, and variation selectors in which text can hide
}

// CSVCell returns text as a cell of a CSV file: on one line, with control characters escaped. Text that a spreadsheet
// would take for a formula gets an apostrophe in front. Numbers stay numbers, and a sign alone is unchanged.
func CSVCell(text string) string {
	text = EscapeLine(text)
	first, _ := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune("=+-@＝＋－＠", first) || text == "+" || text == "-" {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// CSVRow returns the row with every cell passed through [CSVCell].
func CSVRow(cells []string) []string { return Map(cells, CSVCell) }

// latexLetters maps what LaTeX does not take as it is.
var latexLetters = strings.NewReplacer(
	"|cos_M|", `$|\cos_M|$`,
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `$<$`, `>`, `$>$`, `|`, `\textbar{}`, `"`, `''`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, "φ", `$\phi$`, "−", `$-$`, "±", `$\pm$`, "⊥", `$\bot$`,
	"·", `$\cdot$`, "÷", `$\div$`, "≤", `$\leq$`, "≥", `$\geq$`, "×", `$\times$`, "…", `\ldots{}`, "–", "--",
	"₂", `$_2$`, "ᵀ", `$^\top$`,
)

// EscapeLaTeX returns a text for LaTeX, in which nothing is a command.
func EscapeLaTeX(text string) string { return latexLetters.Replace(text) }
