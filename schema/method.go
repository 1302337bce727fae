package schema

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// A Method is a way to discover purposes from transitions, one of [Methods].
type Method string

// The methods. [Methods] has what each means for a spec and its records; a package below pod computes it.
const (
	POD       Method = "pod"       // singular vectors of the feature differences
	Laplacian Method = "laplacian" // of the normalised Laplacian of the observed transitions
	Successor Method = "successor" // of the successor representation

	SuccessorFeatures Method = "successor-features" // of successor features
	Covering          Method = "covering"           // the ends of the Fiedler vector
	Counts            Method = "counts"             // 1/√n, n being how often a state was visited
)

// A methodEntry describes what a method means for a spec and its records.
type methodEntry struct {
	Usage       string                      // one line for help, "" for external
	onStates    bool                        // purposes are over states
	findsPair   bool                        // purposes are the two ends of the first direction
	hasDiscount bool                        // the matrix has a discount of its own
	lambda      func(sigma float64) float64 // eigenvalue for a singular value, nil if it is not shown
}

// Methods are the methods that specs can name, in the order in which help lists them.
var Methods = NewRegistry("method",
	Named(POD, methodEntry{Usage: "singular vectors of the feature differences"}),
	Named(Laplacian, methodEntry{
		Usage: "eigenvectors of the normalised Laplacian of the observed transitions", onStates: true,
		lambda: func(sigma float64) float64 { return max(0, 2-sigma) }, // under 0 by rounding alone
	}),
	Named(Successor, methodEntry{
		Usage: "singular vectors of the successor representation", onStates: true, hasDiscount: true,
	}),
	Named(SuccessorFeatures, methodEntry{
		Usage: "singular vectors of successor features, linear in the features", hasDiscount: true,
	}),
	Named(Covering, methodEntry{
		Usage: "the two ends of the Fiedler vector of the observed transitions, with select top=1", onStates: true,
		findsPair: true,
	}),
	Named(Counts, methodEntry{
		Usage: "1/√n, n being how often a state was visited", onStates: true,
	}),
	Named(ExternalMethod, methodEntry{}))

// IsOnStates reports whether a method's purposes are over states.
func (m Method) IsOnStates() bool { return m.entry().onStates }

// HasMatrix reports whether a method factors a matrix of its own rather than D, the rows of the transitions.
func (m Method) HasMatrix() bool { return m != "" && m != POD && m != ExternalMethod }

// FindsPair reports whether a method's purposes are the two states in which its first direction is largest and
// smallest. If D is cumulative, the matrices of later iterations take the pair into account.
func (m Method) FindsPair() bool { return m.entry().findsPair }

// HasDiscount reports whether a method's matrix depends on a discount, [Spec.SuccessorGamma].
func (m Method) HasDiscount() bool { return m.entry().hasDiscount }

// Lambda returns the eigenvalue of the normalised Laplacian for a singular value σ, which
// is one of 2I − L. It returns nil for other methods.
func (m Method) Lambda(sigma float64) *float64 {
	e := m.entry()
	if e.lambda == nil {
		return nil
	}
	return new(e.lambda(sigma))
}

// entry returns the registered entry of m, or the zero value. [POD] has it too: a spec leaves its name out.
func (m Method) entry() methodEntry {
	e, _, _ := Methods.Newest(string(m))
	return e
}

// checkMethod returns [ErrSpec] if there is no such method, or it goes with none of the spec's other fields.
func (s *Spec) checkMethod() error {
	entry, err := Methods.Find(string(cmp.Or(s.Method, POD)))
	switch {
	case err != nil:
		return err
	case entry.findsPair && s.Select != pairSelect:
		return Invalid("select", string(s.Select), "use %s with method %s, which discovers one pair of states",
			pairSelect, s.Method)
	case entry.findsPair && s.Basis != RightSingular:
		return Invalid("basis", string(s.Basis), "use %s with method %s", RightSingular, s.Method)
	}
	return nil
}

func (s *Spec) checkPsiPasses() error {
	switch passes := strconv.FormatInt(s.PsiPasses, 10); {
	case s.PsiPasses < 0 || s.PsiPasses > maxPsiPasses:
		return Invalid("psi_passes", passes, "use 1 to %d passes", maxPsiPasses)
	case s.PsiPasses != 0 && !s.Method.entry().hasDiscount:
		return Invalid("psi_passes", passes, "use 1 with method %s; methods %s and %s learn "+
			"from the transitions in passes", cmp.Or(s.Method, POD), Successor, SuccessorFeatures)
	}
	return nil
}

// pairSelect is the only selection with a method that finds a pair of states.
const pairSelect = Select("top=1")

// SuccessorPasses returns how often a successor representation learns from the transitions of each iteration.
func (s Spec) SuccessorPasses() int64 { return max(1, s.PsiPasses) }

func parsePasses(text string) (int64, error) {
	n, err := strconv.ParseInt(textfmt.PlainInteger(text), 10, 64)
	switch {
	case err != nil:
		return 0, err
	case n < 1:
		return 0, fmt.Errorf("%d passes", n)
	case n == 1:
		return 0, nil
	}
	return n, nil
}

// SuccessorGamma returns the discount of a successor representation.
func (s Spec) SuccessorGamma() float64 { return cmp.Or(s.PsiGamma, s.Gamma) }
