package report

import (
	"strconv"
	"strings"
	"time"
)

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
