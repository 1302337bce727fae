package schema

import (
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/internal/textform"
)

// Methods, Selections and Learners are what specs can name, in the order in which help lists
// them.
var (
	Methods    = registerMethods()
	Selections = registerSelections()
	Learners   = registerLearners()
)

func registerMethods() *Registry[MethodEntry] {
	r := NewRegistry[MethodEntry]("method")
	r.Register(string(POD), MethodEntry{Usage: "singular vectors of the feature differences"})
	r.Register(string(Laplacian), MethodEntry{
		Usage: "eigenvectors of the normalised Laplacian of the observed transitions", onStates: true,
		lambda: func(sigma float64) float64 { return max(0, 2-sigma) }, // under 0 by rounding alone
	})
	r.Register(string(Successor), MethodEntry{
		Usage: "singular vectors of the successor representation", onStates: true, hasDiscount: true,
	})
	r.Register(string(SuccessorFeatures), MethodEntry{
		Usage: "singular vectors of successor features, linear in the features", hasDiscount: true,
	})
	r.Register(string(Covering), MethodEntry{
		Usage: "the two ends of the Fiedler vector of the observed transitions, with select top=1", onStates: true,
	})
	r.Register(string(Counts), MethodEntry{
		Usage: "1/√n, n being how often a state was visited", onStates: true,
	})
	r.Register(string(ExternalMethod), MethodEntry{})
	return r
}

func registerSelections() *Registry[SelectionEntry] {
	r := NewRegistry[SelectionEntry]("selection")
	r.Register(string(BySigma), SelectionEntry{Usage: "threshold (σ > κ)", usesKappa: true})
	r.Register(string(BySquare), SelectionEntry{
		Usage: "threshold:sigma2", usesKappa: true, symbol: "σ²", limitSymbol: "√κ",
	})
	r.Register(string(ByRMS), SelectionEntry{
		Usage: "threshold:rms (σ/√n)", usesKappa: true, symbol: "σ/√n", limitSymbol: "κ√n",
	})
	r.Register(string(ByRank), SelectionEntry{Usage: usageOfCount("top"), parse: parseCount, format: formatCount})
	r.Register(string(ByEnergy), SelectionEntry{
		Usage: "energy=P (0 < P ≤ 1)", format: formatLimit,
		parse: func(r *Rule, text string) bool { return parseLimit(r, text) && r.Limit > 0 && r.Limit <= 1 },
	})
	r.Register(string(BySample), SelectionEntry{
		Usage: usageOfCount("sample"), usesKappa: true, parse: parseCount, format: formatCount,
	})
	r.Register(string(ByNovelty), SelectionEntry{
		Usage: "novel=C (0 ≤ C < 1)", usesKappa: true, comparesOptions: true, format: formatLimit,
		parse: func(r *Rule, text string) bool { return parseLimit(r, text) && r.Limit >= 0 && r.Limit < 1 },
	})
	r.Register(string(Below), SelectionEntry{
		Usage: "below (σ ≤ κ, what threshold leaves out)", usesKappa: true, keepsSmall: true,
	})
	r.Register(string(ByProgram), SelectionEntry{usesKappa: true, comparesOptions: true})
	return r
}

func registerLearners() *Registry[LearnerEntry] {
	r := NewRegistry[LearnerEntry]("learner")
	r.Register(string(Sweeps), LearnerEntry{Usage: "value iteration on the model"})
	r.Register(string(Exact), LearnerEntry{Usage: "its fixed point", hasNoSweeps: true})
	r.Register(string(Empirical), LearnerEntry{
		Usage: "sweeps on the model that the observed transitions make", usesExperience: true, accumulates: true,
		estimatesModel: true,
	})
	r.Register(string(LSPI), LearnerEntry{
		Usage: "least-squares policy iteration, linear in the features", usesExperience: true, accumulates: true,
		isLinear: true,
	})
	r.Register(string(QLearning), LearnerEntry{
		Usage: "along the recorded steps, linear in the features", usesExperience: true, isLinear: true,
	})
	r.Register(string(ExternalLearner), LearnerEntry{})
	return r
}

// A MethodEntry is what a spec's method means.
type MethodEntry struct {
	Usage       string                      // one line for help, "" for external
	onStates    bool                        // purposes are over states
	hasDiscount bool                        // of its own
	lambda      func(sigma float64) float64 // eigenvalue for a singular value, nil if it is not shown
}

// A SelectionEntry is what the criterion of a spec's select means.
type SelectionEntry struct {
	Usage           string // how it is written, for help, "" for external
	usesKappa       bool
	comparesOptions bool   // the decision depends on the options of earlier iterations
	keepsSmall      bool   // directions up to κ are kept, those of σ = 0 too
	symbol          string // of what is compared with κ, "" for σ
	limitSymbol     string // of the σ at which that is κ, "" for κ itself

	parse  func(r *Rule, text string) bool // reads its value, nil if it takes none
	format func(r Rule) string
}

// A LearnerEntry is what a spec's learner means.
type LearnerEntry struct {
	Usage          string // one line for help, "" for external
	usesExperience bool
	accumulates    bool // with a cumulative D, from the observations of all iterations so far
	isLinear       bool
	estimatesModel bool
	hasNoSweeps    bool
}

func usageOfCount(criterion string) string {
	return fmt.Sprintf("%s=N (1 ≤ N ≤ %d)", criterion, MaxSelected)
}

func parseCount(r *Rule, text string) bool {
	n, err := strconv.ParseInt(textform.PlainInteger(text), 10, 64)
	r.N = int(n)
	return err == nil && n >= 1 && n <= MaxSelected
}

func formatCount(r Rule) string { return strconv.Itoa(r.N) }

func parseLimit(r *Rule, text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	r.Limit = x + 0 // −0 + 0 = 0
	return err == nil
}

func formatLimit(r Rule) string { return formatFloat(r.Limit) }
