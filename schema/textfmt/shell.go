package textfmt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellQuote returns a word quoted for a shell command: unchanged if that is safe, in single quotes, or as $'…'
// if it contains characters that cannot be shown on one line.
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

// ShellPath quotes a path as [ShellQuote] does, and ensures that it cannot be taken for a flag.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return ShellQuote(path)
}

// plainInShell are the characters that are literal in every shell, except = at the front.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

func breaksLine(r rune) bool { return r == '\n' || r == '\t' || IsHidden(r) }
