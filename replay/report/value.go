package report

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
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

// interval parses low-high, both numbers. A number such as 1e-9 is not an interval.
func interval(s string) (low, high string, ok bool) {
	if isNumber(s) {
		return "", "", false
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '-' && isNumber(s[:i]) && isNumber(s[i+1:]) {
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

func isNumber(s string) bool {
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsNaN(x)
}

// compare orders whole numbers exactly, other numbers by value, and everything else as text.
func compare(a, b string) int {
	if m, err := strconv.ParseUint(a, 10, 64); err == nil {
		if n, err := strconv.ParseUint(b, 10, 64); err == nil {
			return cmp.Compare(m, n)
		}
	}
	if isNumber(a) && isNumber(b) {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}
