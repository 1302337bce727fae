package report

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// match reports whether the run meets the condition.
func (t term) match(r *Run) bool {
	switch t.key {
	case "run":
		return t.matchesDigest(&r.ID)
	case "head":
		return t.matchesDigest(r.Head)
	case "data":
		return t.matchesDigest(r.data())
	case "tag":
		return t.matchesTags(r.Tags)
	case "created", "age":
		return t.matchesTime(r)
	}
	fact, ok := r.Field(t.key)
	if t.negated && fact == "" && (!ok || r.isMeasure(t.key)) {
		return false // a missing measure is neither equal nor unequal to a value
	}
	return t.in(r).matchesFact(fact)
}

// in returns the term with the kind that the parameter has in a run.
func (t term) in(r *Run) term {
	if t.holds.Kind != parameterKind {
		return t
	}
	if _, whole := r.Spec.Env.Params[t.key]; whole || r.hasExternal(t.key) {
		t.holds.Kind = schema.Number
	}
	return t
}

// matchesTags reports whether a run with these tags meets the condition. A run without tags has the tag "".
func (t term) matchesTags(tags []string) bool {
	if len(tags) == 0 {
		tags = []string{""}
	}
	if t.operator == exactly {
		isAsked := func(tag string) bool {
			return slices.ContainsFunc(t.values, func(v value) bool { return v.fitsText(tag) })
		}
		return !slices.ContainsFunc(t.values, func(v value) bool { return !hasTag(tags, v) }) &&
			!slices.ContainsFunc(tags, func(tag string) bool { return !isAsked(tag) })
	}
	positive := t
	positive.negated = false
	return slices.ContainsFunc(tags, positive.matchesFact) != t.negated
}

func hasTag(tags []string, v value) bool { return slices.ContainsFunc(tags, v.fitsText) }

// matchesDigest reports whether a digest, nil for none, begins with one of the values, or contains
// one for the operator ~.
func (t term) matchesDigest(d *schema.Digest) bool {
	text := ""
	if d != nil {
		text = d.String()
	}
	return slices.ContainsFunc(t.values, func(v value) bool {
		wanted := strings.ToLower(v.text)
		switch {
		case text == "" || wanted == "":
			return text == wanted
		case t.operator == contains:
			return strings.Contains(text, wanted)
		case v.pattern != nil:
			return v.pattern.MatchString(text)
		}
		return strings.HasPrefix(text, wanted)
	}) != t.negated
}

// matchesTime reports whether the run was created at one of the times, before or after it.
func (t term) matchesTime(r *Run) bool {
	operator := t.operator
	if t.key == "age" { // the greater the age, the earlier
		operator = map[string]string{below: above, above: below, atMost: atLeast, atLeast: atMost}[operator]
	}
	return slices.ContainsFunc(t.values, func(v value) bool {
		order := 0 // in the period
		switch {
		case r.Created.Before(v.from):
			order = -1
		case !r.Created.Before(v.until):
			order = 1
		}
		return v.pattern != nil || allows(operator, order)
	}) != t.negated
}

// matchesFact reports whether the fact meets the condition.
func (t term) matchesFact(fact string) bool {
	number, isNumber := parseFigure(fact)
	switch {
	case t.orders():
		return isNumber && allows(t.operator, number.compare(t.values[0].low))
	case t.operator == contains:
		return slices.ContainsFunc(t.values, func(v value) bool { return t.isPart(v.text, fact) })
	}
	return slices.ContainsFunc(t.values, func(v value) bool {
		if isNumber && (v.ranged || v.isNumber && t.holds.Kind != parameterKind) {
			return v.holds(number)
		}
		return v.fitsText(fact)
	}) != t.negated
}

// isPart reports whether a fact contains a text. In facts that users wrote, upper and lower case are the same.
func (t term) isPart(text, fact string) bool {
	if t.key == "about" {
		text, fact = strings.ToLower(text), strings.ToLower(fact)
	}
	return strings.Contains(fact, text)
}

// allows reports whether an operator allows this result of comparing the fact with the value.
func allows(operator string, order int) bool {
	switch operator {
	case below:
		return order < 0
	case above:
		return order > 0
	case atMost:
		return order <= 0
	case atLeast:
		return order >= 0
	}
	return order == 0
}
