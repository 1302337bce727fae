package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Behaviour is the number of steps for which the agent takes an action that a decision drew. [Behaviour.Persistence]
// parses it.
type Behaviour string

// Uniform is the behaviour of the paper: a decision in each step outside options.
const Uniform Behaviour = ""

// uniformly is the text of a spec whose actions do not persist.
const uniformly = "uniform"

const maxExponent = 32

// A Persistence is a distribution of the number of steps for which an action is taken. The zero value is that of
// [Uniform].
type Persistence struct {
	Exponent int     // z: the probability of n is proportional to n^−z; 0 for another distribution
	Mean     float64 // of a geometric distribution; 0 for another
}

// parseBehaviour parses a behaviour into its canonical form.
func parseBehaviour(text string) (b Behaviour, p Persistence, err error) {
	name, value, _ := strings.Cut(text, "=")
	switch {
	case text == uniformly, text == string(Uniform):
		return Uniform, p, nil
	case name == "zeta":
		p.Exponent, err = strconv.Atoi(textfmt.PlainInteger(value))
		if err == nil && p.Exponent >= 2 && p.Exponent <= maxExponent {
			return Behaviour(fmt.Sprintf("zeta=%d", p.Exponent)), p, nil
		}
	case name == "geometric":
		p.Mean, err = strconv.ParseFloat(value, 64)
		if err == nil && p.Mean > 1 && p.Mean <= MaxSteps {
			return Behaviour("geometric=" + formatFloat(p.Mean)), p, nil
		}
	}
	return Uniform, Persistence{}, fmt.Errorf("behaviour %q", text)
}

func canonicalBehaviour(text string) (Behaviour, error) {
	b, _, err := parseBehaviour(text)
	return b, err
}

// Persistence returns the distribution of the steps for which an action is taken.
func (b Behaviour) Persistence() Persistence {
	_, p, _ := parseBehaviour(string(b)) // the spec was checked
	return p
}

// A Lifetime is the number of iterations for which an option stays in the action set. [Lifetime.Iterations] parses it.
type Lifetime string

// The lifetimes that have a name.
const (
	KeepOptions    Lifetime = ""        // in all later iterations
	ReplaceOptions Lifetime = "replace" // in the next iteration alone
)

// keepForever is the text of a spec whose options stay in the action set.
const keepForever = "keep"

// lastPrefix begins a lifetime of more than one iteration.
const lastPrefix = "last="

const maxLifetime = 1 << 30

// parseLifetime parses a lifetime into its canonical form: last=1 is replace, and keep is empty.
func parseLifetime(text string) (Lifetime, error) {
	switch digits, found := strings.CutPrefix(text, lastPrefix); {
	case text == keepForever, text == string(KeepOptions):
		return KeepOptions, nil
	case text == string(ReplaceOptions):
		return ReplaceOptions, nil
	case found:
		n, err := strconv.ParseInt(textfmt.PlainInteger(digits), 10, 32)
		if err != nil || n < 1 || n > maxLifetime {
			break
		}
		if n == 1 {
			return ReplaceOptions, nil
		}
		return Lifetime(lastPrefix + strconv.FormatInt(n, 10)), nil
	}
	return KeepOptions, fmt.Errorf("lifetime %q", text)
}

// Iterations returns the number of iterations for which an option stays in the action set, 0 for all.
func (l Lifetime) Iterations() int {
	switch digits, found := strings.CutPrefix(string(l), lastPrefix); {
	case l == ReplaceOptions:
		return 1
	case found:
		n, _ := strconv.Atoi(digits) // the spec was checked
		return n
	}
	return 0
}

// FirstAvailable returns the first iteration whose options are in the action set of iteration k, unless
// they are left out.
func (s Spec) FirstAvailable(k int) int {
	if n := s.Options.Iterations(); n > 0 {
		return max(0, k-n)
	}
	return 0
}

const maxLeaveOut = 1000

// noOptions is the text of a spec that leaves no option out.
const noOptions = "none"

// optionSeparator stands between the numbers of options in a spec's text. It is not a comma, since commas
// separate the values of a grid.
const optionSeparator = "+"

// formatOptions returns the numbers of options as text, "" for none.
func formatOptions(numbers []uint64) string {
	return strings.Join(textfmt.Map(numbers, func(n uint64) string { return strconv.FormatUint(n, 10) }), optionSeparator)
}

// parseOptions parses what formatOptions returns, or "none".
func parseOptions(text string) (numbers []uint64, err error) {
	if text == noOptions || text == "" {
		return nil, nil
	}
	for _, digits := range strings.Split(text, optionSeparator) {
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// checkLeaveOut does the part of [Spec.Validate] that concerns options that are left out.
func (s *Spec) checkLeaveOut() error {
	before := -1
	for _, n := range s.LeaveOut {
		if n > math.MaxInt32 || int(n) <= before || len(s.LeaveOut) > maxLeaveOut {
			return Invalid("leave_out", formatOptions(s.LeaveOut[:min(len(s.LeaveOut), 10)]),
				"give up to %d numbers of options in ascending order, such as 3+17", maxLeaveOut)
		}
		before = int(n)
	}
	return nil
}
