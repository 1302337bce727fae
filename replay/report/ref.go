package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrRef is the error of an invalid reference.
var ErrRef = errors.New("invalid reference")

// Ref is a parsed reference to a run, an iteration, or an option.
type Ref struct {
	Run  string // beginning of an ID, name or @N
	K    int    // iteration, −1 for a run
	J    int    // direction, 0 for a run or an iteration
	Sign int    // +1 or −1 of an option, else 0

	// ByNumber is true of RUN:#N, an option whose iteration and direction are not known before
	// the run is read. K is then 0.
	ByNumber bool
	Number   int // of the option if ByNumber, else 0
}

// IsOption reports whether the reference names an option.
func (r Ref) IsOption() bool { return r.J > 0 || r.ByNumber }

// ParseRef parses RUN, RUN:K, RUN:K/J+, RUN:K/J- or RUN:#N.
func ParseRef(text string) (Ref, error) {
	run, rest, found := strings.Cut(text, ":")
	if !found {
		return Ref{Run: text, K: -1}, nil
	}
	r := Ref{Run: run}
	if digits, found := strings.CutPrefix(rest, "#"); found {
		return r.byNumber(digits, text)
	}
	digits, option, found := strings.Cut(rest, "/")
	k, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || k >= tracker.MaxIterations {
		return r, schema.Hint(fmt.Errorf("%w: iteration %q in %q", ErrRef, digits, text),
			"write RUN:K with K counted from 0")
	}
	r.K = int(k)
	if found {
		r.J, r.Sign, err = parseOption(option, text)
	}
	return r, err
}

// ParseOptionRef parses the reference of an option: RUN:K/J+, RUN:K/J-, RUN:#N, or RUN:N, where
// nothing but an option can be meant.
func ParseOptionRef(text string) (Ref, error) {
	if run, digits, found := strings.Cut(text, ":"); found && isDigits(digits) {
		return Ref{Run: run}.byNumber(digits, text)
	}
	r, err := ParseRef(text)
	_, part, _ := strings.Cut(text, ":")
	switch key, operator, _ := splitTerm(text); {
	case operator != "" && slices.Contains(FilterKeys(), key):
		err = schema.Advise(fmt.Errorf("%w: %s is a filter, and one option is asked for", ErrRef, text), AdviceListFilter,
			text)
	case err == nil && !r.IsOption(), err != nil && !strings.ContainsAny(part, "#/"):
		err = schema.Advise(fmt.Errorf("%w: %s names no option", ErrRef, text), AdviceNameOption, r.Run)
	}
	return r, err
}

// byNumber returns the reference of this run's option of that number.
func (r Ref) byNumber(digits, text string) (Ref, error) {
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return r, schema.Advise(fmt.Errorf("%w: option number %q in %q", ErrRef, digits, text), AdviceOptionNumber)
	}
	r.ByNumber, r.Number = true, int(n)
	return r, nil
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func parseOption(option, text string) (j, sign int, err error) {
	digits := option
	for end, value := range map[string]int{"+": 1, "-": -1, "−": -1} {
		if before, found := strings.CutSuffix(option, end); found {
			digits, sign = before, value
		}
	}
	number, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || number < 1 || sign == 0 {
		return 0, 0, schema.Advise(fmt.Errorf("%w: option %q in %q", ErrRef, option, text), AdviceOptionRef)
	}
	return int(number), sign, nil
}

// OptionName returns J+ or J-.
func OptionName(j, sign int) string {
	if sign < 0 {
		return fmt.Sprintf("%d-", j)
	}
	return fmt.Sprintf("%d+", j)
}

// OptionRef returns the reference of an option of this run.
func (r Run) OptionRef(k, j, sign int) string {
	return fmt.Sprintf("%s:%d/%s", r.Label(), k, OptionName(j, sign))
}
