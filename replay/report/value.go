package report

import (
	"regexp"
	"strings"
)

// value is a value in a filter: a text or number, a range, or a pattern. It is parsed once and
// matched against every run.
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

// pattern returns the pattern of a value in which * stands for any text and ? for any character.
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
