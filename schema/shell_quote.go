package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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
