package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// A Criterion is what decides whether a direction becomes options.
type Criterion string

// The criteria. [ByRank] and [ByEnergy] do not use κ.
const (
	BySigma   Criterion = "threshold"        // σ > κ
	BySquare  Criterion = "threshold:sigma2" // σ² > κ
	ByRMS     Criterion = "threshold:rms"    // σ/√n > κ: the root mean square of the n rows of D along it
	ByRank    Criterion = "top"              // the N largest σ
	ByEnergy  Criterion = "energy"           // the fewest whose Σσ² is a given share of the total
	BySample  Criterion = "sample"           // N of those with σ > κ, drawn
	ByNovelty Criterion = "novel"            // σ > κ, and similar to nothing in the action set
)

// Symbol returns the symbol of what the criterion compares with κ, σ by default.
func (c Criterion) Symbol() string {
	switch c {
	case BySquare:
		return "σ²"
	case ByRMS:
		return "σ/√n"
	}
	return "σ"
}

// A Rule is a parsed [Select].
type Rule struct {
	By    Criterion
	N     int     // number of directions, for ByRank and BySample
	Limit float64 // share of ByEnergy, or largest |cos_M| of ByNovelty
}

// MaxSelected is the largest N of a rule.
const MaxSelected = maxDims

const selectHint = "use threshold (σ > κ), threshold:sigma2, threshold:rms (σ/√n), " +
	"top=N, energy=P (0 < P ≤ 1), sample=N or novel=C (0 ≤ C < 1)"

// ParseRule parses the select. It also accepts forms other than the canonical one.
func (s Select) ParseRule() (Rule, error) {
	name, value, given := strings.Cut(string(s), "=")
	r := Rule{By: Criterion(name)}
	ok := given
	switch r.By {
	case BySigma, BySquare, ByRMS:
		ok = !given
	case "threshold:sigma":
		r.By, ok = BySigma, !given
	case ByRank, BySample:
		n, err := strconv.ParseInt(value, 10, 64)
		r.N, ok = int(n), err == nil && n >= 1 && n <= MaxSelected
	case ByEnergy, ByNovelty:
		x, err := strconv.ParseFloat(value, 64)
		r.Limit = x + 0 // −0 + 0 = 0
		ok = err == nil && (r.By == ByEnergy && x > 0 && x <= 1 || r.By == ByNovelty && x >= 0 && x < 1)
	default:
		ok = false
	}
	if !ok {
		return Rule{}, invalid("select", string(s), selectHint)
	}
	return r, nil
}

// Canonical returns the rule as a select, in its canonical form.
func (r Rule) Canonical() Select {
	switch r.By {
	case ByRank, BySample:
		return Select(fmt.Sprintf("%s=%d", r.By, r.N))
	case ByEnergy, ByNovelty:
		return Select(fmt.Sprintf("%s=%s", r.By, formatFloat(r.Limit)))
	}
	return Select(r.By)
}

// UsesKappa reports whether the rule depends on κ.
func (r Rule) UsesKappa() bool { return r.By != ByRank && r.By != ByEnergy }

// HasRecord reports whether a selection with this rule is recorded. The first version's
// rule is not: the factors and κ determine its selection.
func (s Select) HasRecord() bool { return s != Threshold }
