package report

import (
	"cmp"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// value is a value in a filter. It is parsed once and matched against every run.
type value struct {
	text    string
	quoted  bool           // wildcards and numbers in it are plain text
	pattern *regexp.Regexp // nil without wildcards
	ranged  bool           // from low to high, both included
	low     figure
	high    figure // equal to low for a single number

	isNumber    bool      // low is set
	from, until time.Time // a time, or when runs of an age were created: from ≤ t < until
}

// pattern returns the pattern of a value in which * stands for any text and ? for any character.
func pattern(value string) *regexp.Regexp {
	quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(value))
	return regexp.MustCompile("(?s)^" + quoted + "$")
}

// setNumber parses the value's text as a number or a range, if it is one.
func (v *value) setNumber() {
	if v.low, v.isNumber = parseFigure(v.text); v.isNumber {
		v.high = v.low
		return
	}
	if low, high, ok := interval(v.text); ok {
		v.low, _ = parseFigure(low)
		v.high, _ = parseFigure(high)
		v.ranged = true
	}
}

// holds reports whether a number is the value's, or within its range.
func (v value) holds(fact figure) bool { return v.low.compare(fact) <= 0 && fact.compare(v.high) <= 0 }

// fitsText reports whether a text equals the value or matches its pattern.
func (v value) fitsText(fact string) bool {
	return v.text == fact || fact != "" && v.pattern != nil && v.pattern.MatchString(fact)
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

// figure is a number: an integer of up to 64 bits and a sign, exactly, or a float.
type figure struct {
	whole     bool
	negative  bool // sign of an integer
	magnitude uint64
	float     float64
}

// parseFigure parses a finite number in decimal form.
func parseFigure(s string) (f figure, ok bool) {
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return f, false
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil { // most facts
		return figure{whole: true, magnitude: n}, true
	}
	digits, negative := strings.CutPrefix(textfmt.PlainInteger(s), "-")
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return figure{whole: true, negative: negative && n > 0, magnitude: n}, true
	}
	x, err := strconv.ParseFloat(s, 64)
	return figure{float: x}, err == nil
}

func isNumber(s string) bool {
	_, ok := parseFigure(s)
	return ok
}

// compare orders two numbers exactly.
func (f figure) compare(g figure) int {
	switch {
	case !f.whole && !g.whole:
		return cmp.Compare(f.float, g.float)
	case f.whole && g.whole && !f.negative && !g.negative:
		return cmp.Compare(f.magnitude, g.magnitude)
	}
	return f.exact().Cmp(g.exact())
}

func (f figure) exact() *big.Float {
	if !f.whole {
		return big.NewFloat(f.float)
	}
	x := new(big.Float).SetUint64(f.magnitude)
	if f.negative {
		x.Neg(x)
	}
	return x
}

// compare orders facts: "" first, then numbers by value, then everything else as text.
func compare(a, b string) int {
	x, isX := parseFigure(a)
	y, isY := parseFigure(b)
	switch {
	case isX && isY:
		return x.compare(y)
	case a == "" || b == "" || isX == isY:
		return strings.Compare(a, b)
	case isX:
		return -1
	}
	return 1
}

// momentForms are the forms of a time. Each stands for a period, such as a whole day, that ends before next. Forms with
// an hour may be followed by a time zone; otherwise times are in UTC.
var momentForms = []struct {
	layout string
	zoned  bool
	next   func(time.Time) time.Time
}{
	{"2006", false, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
	{"2006-01", false, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
	{"2006-01-02", false, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	{"2006-01-02T15", true, func(t time.Time) time.Time { return t.Add(time.Hour) }},
	{"2006-01-02T15:04", true, func(t time.Time) time.Time { return t.Add(time.Minute) }},
	{"2006-01-02T15:04:05", true, func(t time.Time) time.Time { return t.Add(time.Second) }},
}

// parseMoment parses a time: a year, a month, a day, an hour, a minute or a second, in UTC unless it has a zone such as
// +02:00. It returns the first moment of the period that the text stands for, and the first moment after it.
func parseMoment(text string) (from, until time.Time, ok bool) {
	text = strings.ToUpper(strings.TrimSpace(text))
	text = strings.Replace(strings.TrimSuffix(text, " UTC"), " ", "T", 1)
	for _, form := range momentForms {
		if t, err := time.Parse(form.layout, text); err == nil {
			return t, untilNext(t, text, form.next), true
		}
		for _, zone := range []string{"Z07:00", "Z0700"} {
			if t, err := time.Parse(form.layout+zone, text); err == nil && form.zoned {
				return t.UTC(), untilNext(t, text, form.next).UTC(), true
			}
		}
	}
	return from, until, false
}

// untilNext returns the first moment after the period that a text stands for. If the text has a fraction of a second,
// the period is one unit of its last digit.
func untilNext(t time.Time, text string, next func(time.Time) time.Time) time.Time {
	_, fraction, found := strings.Cut(text, ".")
	if !found {
		return next(t)
	}
	step := time.Second
	for i := 0; i < len(fraction) && fraction[i] >= '0' && fraction[i] <= '9'; i++ {
		step /= 10
	}
	return t.Add(max(step, 1))
}

// parseAge parses an age such as 7d or 12h, a whole number of a unit.
func parseAge(text string) (age, unit time.Duration, ok bool) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseUint(digits, 10, 31)
	for _, u := range ageUnits {
		if text[len(digits):] == u.name && err == nil && n <= uint64(maxAge/u.of) {
			return time.Duration(n) * u.of, u.of, true
		}
	}
	return 0, 0, false
}

// maxAge bounds ages so that subtracting one from a time cannot overflow.
const maxAge = 200 * 365 * 24 * time.Hour
