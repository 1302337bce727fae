package textfmt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ellipsis marks the place where text was omitted.
const ellipsis = "…"

// Shorten truncates text to most characters. A truncated text ends with an ellipsis, after a whole word if possible.
func Shorten(text string, most int) string {
	if most = max(most, 1); utf8.RuneCountInString(text) <= most {
		return text
	}
	kept := string([]rune(text)[:most-1])
	if space := strings.LastIndexByte(kept, ' '); space > len(kept)/2 {
		return strings.TrimRight(kept[:space], " ,:;") + " " + ellipsis
	}
	return kept + ellipsis
}

// MostEchoed is the largest number of characters of a quoted text or a word that a message repeats from user input.
const MostEchoed = 240

// echoed matches the parts of a message that may repeat user input: a text in the double or single quotes that
// Go and shells write, or a word. An apostrophe within a word opens no quotes.
var echoed = Pattern(`"(?:[^"\\]|\\.)*"|\B'[^']*'|[^\s"]+`)

// ShortenEchoes returns a message in which each quoted text and each word has at most that many characters. An
// ellipsis replaces the middle of longer ones.
func ShortenEchoes(message string, most int) string {
	if len(message) <= most {
		return message
	}
	return echoed().ReplaceAllStringFunc(message, func(part string) string { return ShortenMiddle(part, most) })
}

// ShortenMiddle truncates text to most characters, two thirds of them from its beginning.
func ShortenMiddle(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	end := most / 3
	return string(runes[:most-end-1]) + "…" + string(runes[len(runes)-end:])
}

// Map returns the text of each element of a list, nil of an empty one.
func Map[T any](list []T, text func(T) string) (texts []string) {
	for _, x := range list {
		texts = append(texts, text(x))
	}
	return texts
}

// Alternatives joins words as in "a, b or c".
func Alternatives[T ~string](words []T) string { return join(words, " or ") }

// JoinWords joins words as in "a, b and c".
func JoinWords[T ~string](words []T) string { return join(words, " and ") }

func join[T ~string](words []T, last string) string {
	texts := Map(words, func(word T) string { return string(word) })
	if n := len(texts) - 1; n > 0 {
		texts = append(texts[:n-1], texts[n-1]+last+texts[n])
	}
	return strings.Join(texts, ", ")
}

// CountOf returns a number with its noun, in the plural unless it is 1.
func CountOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Ranges returns ascending numbers as text, at least so many in a row as one range, such as 0–2.
func Ranges[T int | uint64](numbers []T, dash string, least int) (parts []string) {
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+T(n) {
			n++
		}
		if text := fmt.Sprint(numbers[0]); n < least {
			parts, n = append(parts, text), 1
		} else {
			parts = append(parts, fmt.Sprint(text, dash, numbers[n-1]))
		}
		numbers = numbers[n:]
	}
	return parts
}
