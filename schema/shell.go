package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsHidden reports whether a terminal obeys a character, but for line feed and tab, or
// shows nothing of it: control and format characters, which are those that change the
// direction of text and those of no width, and separators of lines.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0xe0000 && r <= 0xe0fff // tags, and variation selectors in which text can hide
}

// ShellQuote returns a word as a command to copy has it: as it is, in single quotes,
// or as $'…' where it holds what does not show on one line.
func ShellQuote(word string) string {
	switch {
	case word != "" && word[0] != '=' && strings.Trim(word, plainInShell) == "":
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, breaksLine):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	quoted := "$'"
	for len(word) > 0 {
		r, size := utf8.DecodeRuneInString(word)
		switch {
		case r == '\'' || r == '\\':
			quoted += `\` + word[:1]
		case r == utf8.RuneError && size == 1, breaksLine(r):
			for _, b := range []byte(word[:size]) {
				quoted += fmt.Sprintf(`\%03o`, b)
			}
		default:
			quoted += word[:size]
		}
		word = word[size:]
	}
	return quoted + "'"
}

// ShellPath is [ShellQuote] of a path where a flag could stand, which it must not be
// taken for.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellQuote(path)
}

// plainInShell are the characters that no shell takes for more than text, but = in
// front.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

func breaksLine(r rune) bool { return r == '\n' || r == '\t' || IsHidden(r) }
