package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Criterion is what of a direction decides whether it becomes options.
type Criterion string

// The criteria. [ByRank] and [ByEnergy] do not look at κ.
const (
	BySigma   Criterion = "threshold"        // σ > κ
	BySquare  Criterion = "threshold:sigma2" // σ² > κ
	ByRMS     Criterion = "threshold:rms"    // σ/√n > κ: the root mean square of the n rows of D along it
	ByRank    Criterion = "top"              // the N largest σ
	ByEnergy  Criterion = "energy"           // the fewest whose Σσ² is a share of all
	BySample  Criterion = "sample"           // N of those with σ > κ, drawn
	ByNovelty Criterion = "novel"            // σ > κ, and like nothing in the action set
)

// Symbol is what the criterion holds to κ, σ as a rule.
func (c Criterion) Symbol() string {
	switch c {
	case BySquare:
		return "σ²"
	case ByRMS:
		return "σ/√n"
	}
	return "σ"
}

// Rule is a [Select], read.
type Rule struct {
	By    Criterion
	N     int     // directions, of ByRank and BySample
	Limit float64 // the share of ByEnergy, or the |cos_M| that ByNovelty allows
}

// MaxSelected bounds the N of a rule.
const MaxSelected = maxDims

const selectHint = "use threshold (σ > κ), threshold:sigma2, threshold:rms (σ/√n), top=N, energy=P (0 < P ≤ 1), sample=N or novel=C (0 ≤ C < 1)"

// ParseRule reads the select. One that is in another form than [Rule.Canonical] gives is
// read all the same.
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

// Canonical is the rule in its canonical form.
func (r Rule) Canonical() Select {
	switch r.By {
	case ByRank, BySample:
		return Select(fmt.Sprintf("%s=%d", r.By, r.N))
	case ByEnergy, ByNovelty:
		return Select(fmt.Sprintf("%s=%s", r.By, formatFloat(r.Limit)))
	}
	return Select(r.By)
}

// UsesKappa says whether κ has a part in the rule.
func (r Rule) UsesKappa() bool { return r.By != ByRank && r.By != ByEnergy }

// HasRecord says whether selecting leaves a record. With the first version's rule it
// does not: the factors and κ say it all.
func (s Select) HasRecord() bool { return s != Threshold }
