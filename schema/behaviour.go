package schema

import (
	"fmt"
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

// maxExponent is the largest Z of zeta=Z.
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
