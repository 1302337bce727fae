package report

import (
	"regexp"
	"strings"
)

// value is what a filter asks of a fact: that it is that text or number, in that
// range, or of that pattern. It is read once, and held to every run.
type value struct {
	text      string
	number    bool
	ranged    bool
	low, high string
	pattern   *regexp.Regexp // nil where text stands for nothing but itself
}

func parseValue(text string) value {
	v := value{text: text, number: isNumber(text)}
	v.low, v.high, v.ranged = interval(text)
	if strings.ContainsAny(text, "*?") {
		v.pattern = pattern(text)
	}
	return v
}

// pattern is of a value in which * is any text and ? any character.
func pattern(value string) *regexp.Regexp {
	quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(value))
	return regexp.MustCompile("^" + quoted + "$")
}

func (v value) fits(fact string) bool {
	switch {
	case v.ranged && isNumber(fact):
		return compare(v.low, fact) <= 0 && compare(fact, v.high) <= 0
	case v.text == fact:
		return true
	case v.number && isNumber(fact):
		return compare(v.text, fact) == 0
	}
	return v.pattern != nil && v.pattern.MatchString(fact)
}
