package stats

// A Verdict says what a test and an interval show together. Every text that words a difference, or a level above
// chance, follows one.
type Verdict string

// The verdicts.
const (
	More      Verdict = "more"
	Less      Verdict = "less"
	Unsettled Verdict = "not settled"
	Untested  Verdict = "not tested" // too few values, or nothing varies
)

// Settle returns the verdict on an estimate of which 0 means no difference. A difference is settled if its p-value,
// adjusted for the number of tests, is at most [Significance], and its interval, adjusted alike, excludes 0: a reader
// sees both numbers, and either alone could say otherwise. Without an interval a tested difference is not settled.
func Settle(adjusted *float64, e *Estimate) Verdict {
	switch {
	case adjusted == nil:
		return Untested
	case *adjusted > Significance || e == nil || e.Low == nil || e.High == nil:
		return Unsettled
	case *e.Low > 0:
		return More
	case *e.High < 0:
		return Less
	}
	return Unsettled
}

// IsSettled reports whether a difference was found.
func (v Verdict) IsSettled() bool { return v == More || v == Less }
