package why

import (
	"slices"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// Report is the audit of one option.
type Report struct {
	Option    string        `json:"option"` // RUN:K/J±
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	Number    *int          `json:"number"` // the option's; nil without options
	Purpose   Purpose       `json:"purpose"`
	Dataset   Dataset       `json:"dataset"`
	Evidence  []Evidence    `json:"evidence"`  // largest share first
	Sources   []Source      `json:"sources"`   // by executing option or action, largest share first
	After     []Source      `json:"after"`     // by the option that was last completed in the iteration
	Ancestors []Ancestor    `json:"ancestors"` // largest influence first
	Acts      *Extent       `json:"acts"`      // nil without an option
	Chain     []Proof       `json:"chain"`

	// Levels say how far the head proves each stage of the run.
	Levels []stages.Level `json:"levels"`

	Edges []Edge `json:"-"` // of the graph of ancestors
}

// Purpose describes the eigenpurpose and how well the data determine it.
type Purpose struct {
	J        int                 `json:"j"`
	Sign     int                 `json:"sign"`
	Sigma    float64             `json:"sigma"`
	Vector   []float64           `json:"vector"`
	Features []string            `json:"features"`
	Basis    schema.Basis        `json:"basis"`
	Scale    schema.FeatureScale `json:"feature_scale,omitempty"` // of the D whose σ these are
	PsiPart  schema.PsiPart      `json:"psi_part,omitempty"`      // of the successor representation
	Select   schema.Select       `json:"select"`
	Method   schema.Method       `json:"method"`
	Kappa    float64             `json:"kappa"`
	Margin   float64             `json:"margin"`    // the value compared with κ, usually σ, less κ
	GapAbove *float64            `json:"gap_above"` // σ of j − 1, less σ; nil for the first
	GapBelow *float64            `json:"gap_below"` // σ, less σ of j + 1; nil for the last
	Lowest   float64             `json:"lowest"`    // the smaller gap as a part of σ, 1 without a neighbour
	Warnings []string            `json:"warnings"`

	// DirectionsFrom is the name and version of the external method whose direction it is, empty for a built-in one.
	DirectionsFrom string `json:"directions_from,omitempty"`
	// SelectedBy is the name and version of the external selection that kept it, empty for a built-in one.
	SelectedBy string `json:"selected_by,omitempty"`
}

// Dataset describes the D that was factored.
type Dataset struct {
	Digest     schema.Digest `json:"digest"` // of the factors record, which holds D's distinct rows and counts
	Rows       int64         `json:"rows"`
	Distinct   int           `json:"distinct"`
	Iterations [2]int        `json:"iterations"` // first and last whose steps are in it
	Steps      []Data        `json:"data"`
}

// Data describes a record from which steps or rows were read.
type Data struct {
	K      int           `json:"k"`
	Kind   schema.Kind   `json:"kind"`
	Digest schema.Digest `json:"digest"`
}

// Evidence is a distinct row of D with its weight for the purpose.
type Evidence struct {
	Row     []float64 `json:"row"`
	From    *int      `json:"from,omitempty"` // the transition's states, where D is a matrix over states
	To      *int      `json:"to,omitempty"`
	Count   int64     `json:"count"`
	Product float64   `json:"product"` // p = rowᵀe, its reward
	Share   float64   `json:"share"`   // count·p² / Σp²
	Support float64   `json:"support"` // count·max(p,0)² / Σmax(p,0)²
	Steps   []StepRef `json:"steps"`   // the first with this row; none if steps were not recorded
}

// StepRef is a step of an iteration.
type StepRef struct {
	K         int    `json:"k"`
	Step      int64  `json:"step"`
	State     int    `json:"state"` // before it
	Next      int    `json:"next"`
	Executing string `json:"executing"` // an action's name, or RUN:K/J±
	Number    *int   `json:"number"`    // the option's; nil for actions

	source int // number of the option, or below 0 for actions
}

// Source is a primitive action, or an earlier option, that was executing in a part of the steps.
type Source struct {
	Source  string    `json:"source"` // an action's name, or RUN:K/J±; "" for no option yet
	Number  *int      `json:"number"` // the option's; nil for actions and no option
	Steps   int64     `json:"steps"`
	Share   float64   `json:"share"`
	Support float64   `json:"support"`
	Without *Ablation `json:"without"` // nil if not computed, since that would have taken long

	number int // of the option, or below 0 for actions
}

// Ablation is the purpose nearest to this one when D is factored without the source's steps.
type Ablation struct {
	Cosine   float64 `json:"cosine"` // |cos_M|, 0 where no data are left
	J        int     `json:"j"`
	Sigma    float64 `json:"sigma"`
	Selected bool    `json:"selected"` // by the rule, before it draws or compares; usually σ > κ
}

// Ancestor is an earlier option whose steps contribute evidence for the purpose, directly or through other options.
// Influence is the part of the evidence that goes through it: the sum, over all paths of options, of the products of
// shares.
type Ancestor struct {
	Option    string  `json:"option"`
	Number    int     `json:"number"`
	Depth     int     `json:"depth"` // of the shortest path, 1 for those that were executing in D's steps
	Share     float64 `json:"share"` // of the evidence, directly
	Influence float64 `json:"influence"`
}

// Edge is the share of the evidence for an option that was collected under another.
type Edge struct {
	From, To string
	Share    float64
	Action   bool // From is a primitive action
}

// Extent describes where the option acts and how far it leads.
type Extent struct {
	States      int                `json:"states"` // of the model
	Lengths     Lengths            `json:"lengths"`
	Ends        []End              `json:"ends"` // the most common ones first
	DistinctEnd int                `json:"distinct_ends"`
	Never       int                `json:"never"` // states of I from which it never ends, unless it is truncated
	Certificate schema.Certificate `json:"certificate"`

	// Start is the only state in which it may start, nil if it starts wherever it acts.
	Start     *int   `json:"start,omitempty"`
	StartName string `json:"start_name,omitempty"` // as the environment names it

	// Likely is true where moves are uncertain: lengths and ends are then those of the most likely moves.
	Likely bool `json:"likely,omitempty"`
}

// Lengths holds quantiles of the steps from a state of I to the end, if there is one, 0 for an
// empty I. The mean is the certificate's reach.
type Lengths struct {
	Min    int32 `json:"min"`
	Q25    int32 `json:"q25"`
	Median int32 `json:"median"`
	Q75    int32 `json:"q75"`
	P95    int32 `json:"p95"`
	Max    int32 `json:"max"`
}

// End is a state in which the option ends, with the number of states of I from which it does.
type End struct {
	State int    `json:"state"`
	Name  string `json:"name"` // as the environment names it
	From  int    `json:"from"`
}

// Proof is a link of the chain from the data to the head, with the result of its verification.
type Proof struct {
	K        int           `json:"k"`
	What     string        `json:"what"`
	Digest   schema.Digest `json:"digest"`
	Verified bool          `json:"verified"`
	How      string        `json:"how"` // what was verified, or what is wrong
}

// Verified reports whether every link of the chain holds.
func (r *Report) Verified() bool {
	return !slices.ContainsFunc(r.Chain, func(p Proof) bool { return !p.Verified })
}

// optionRef returns the reference of an option of the explained run.
func optionRef(r *recorded.Records, k int, p schema.Purpose) string {
	return report.OptionRef(r.Label(), k, p.J, p.Sign)
}
