package report

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

func (t term) match(r *Run) bool {
	switch t.key {
	case "run":
		return t.matchesDigest(&r.ID)
	case "head":
		return t.matchesDigest(r.Head)
	case "data":
		if r.Spec.Data.IsZero() {
			return t.matchesDigest(nil)
		}
		return t.matchesDigest(&r.Spec.Data)
	case "about":
		if t.operator == contains {
			return t.containedIn(r)
		}
	case "tag":
		positive := t
		positive.negated = false
		return slices.ContainsFunc(r.Tags, positive.matchesFact) != t.negated
	}
	fact, ok := r.Field(t.key)
	if t.negated && fact == "" && IsMeasure(t.key) {
		return false // an undefined measure is neither equal nor unequal to a number
	}
	return ok && t.matchesFact(fact)
}

// containedIn reports whether one of the values is in what people wrote about the run, in upper or lower case.
func (t term) containedIn(r *Run) bool {
	about, _ := r.Field("about")
	about = strings.ToLower(about)
	return slices.ContainsFunc(t.values, func(v value) bool { return strings.Contains(about, strings.ToLower(v.text)) })
}

// matchesDigest reports whether a digest, nil for none, begins with one of the values, or contains
// one for the operator ~.
func (t term) matchesDigest(d *schema.Digest) bool {
	if d == nil {
		return t.negated
	}
	if t.operator == contains {
		return t.matchesFact(d.String())
	}
	return hasAnyPrefix(d.String(), t.values) != t.negated
}

// hasAnyPrefix reports whether a digest begins with one of the values.
func hasAnyPrefix(digest string, values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool {
		return v.text != "" && strings.HasPrefix(digest, strings.ToLower(v.text))
	})
}

// matchesFact reports whether the fact meets the condition.
func (t term) matchesFact(fact string) bool {
	switch {
	case t.orders():
		return fact != "" && t.matchesOrder(compare(fact, t.values[0].text))
	case t.operator == contains:
		return slices.ContainsFunc(t.values, func(v value) bool { return strings.Contains(fact, v.text) })
	}
	return slices.ContainsFunc(t.values, func(v value) bool { return v.fits(fact) }) != t.negated
}

// matchesOrder reports whether the condition allows this order of the fact and the value.
func (t term) matchesOrder(order int) bool {
	switch t.operator {
	case below:
		return order < 0
	case above:
		return order > 0
	case atMost:
		return order <= 0
	}
	return order >= 0
}
