package textfmt

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// ellipsis stands for what a text leaves out.
const ellipsis = "…"

// Shorten returns a text of at most so many characters: one that is longer ends with an ellipsis, after a whole word if
// one is near.
func Shorten(text string, most int) string {
	if most = max(most, 1); utf8.RuneCountInString(text) <= most {
		return text
	}
	end := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	kept := text[:end]
	if space := strings.LastIndexByte(kept, ' '); space > end/2 {
		return strings.TrimRight(kept[:space], " ,:;") + " " + ellipsis
	}
	return kept + ellipsis
}

// MostEchoed is how many characters of a quoted text or of a word a message repeats of what somebody typed.
const MostEchoed = 240

// echoed matches what a message can repeat: a text in double or single quotes, which Go and shells write, or a word. An
// apostrophe within a word opens no quotes.
var echoed = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\B'[^']*'|[^\s"]+`)

// ShortenEchoes returns a message in which each quoted text and each word has at most so many characters: of one that
// is longer, an ellipsis stands for the middle.
func ShortenEchoes(message string, most int) string {
	if len(message) <= most {
		return message
	}
	return echoed.ReplaceAllStringFunc(message, func(part string) string { return shortenMiddle(part, most) })
}

// shortenMiddle returns a text of at most so many characters, two thirds of them from its beginning.
func shortenMiddle(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	end := most / 3
	return string(runes[:most-end-1]) + "…" + string(runes[len(runes)-end:])
}

// Alternatives joins words as in "a, b or c".
func Alternatives(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
