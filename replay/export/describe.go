package export

import (
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// description describes an array of an iteration.
type description struct {
	Name    string   `json:"-"`
	Type    string   `json:"dtype"`          // as NumPy names it
	Shape   []string `json:"shape"`          // axes in [dimensions], or numbers
	Meaning string   `json:"meaning"`        // of an element
	Unit    string   `json:"unit,omitempty"` // "" for indices and truth values
}

// dimensions says what the letters in shapes stand for.
var dimensions = map[string]string{
	"n": "steps of the iteration",
	"d": "features, or states with the methods laplacian, successor, covering and counts",
	"c": "columns of D: d, or with state_set visited as many as the array column has",
	"f": "features of an observation",
	"u": "distinct rows of the factored D",
	"m": "options: signed purposes of the iteration",
	"S": "states",
	"A": "actions",
	"o": "states that were first observed in the iteration",
	"v": "states that the run first visited in the iteration",
	"e": "episodes that begin in the iteration",
	"x": "measures that an external stage declares",
}

const (
	unitFeature = "units of the features"
	unitReward  = "intrinsic reward"
)

// descriptions lists the arrays of an iteration in the order in which they are written. A plain D
// has no state, action, option, value, q, policy, initiation, exploration and first_visit.
var descriptions = []description{
	{"state", "int64", []string{"n + 1"}, "index of the state before the first step and after each", ""},
	{"action", "int32", []string{"n"}, "index of the action of each step", ""},
	{"option", "int32", []string{"n"}, "number of the option being executed, -1 for none", ""},
	{"observation", "float64", []string{"o", "f"},
		"features of the states that were first observed in the iteration, in that order", unitFeature},
	{"delta", "float64", []string{"n", "d"},
		"D of the iteration: row t is phi(state[t + 1]) - phi(state[t]); absent if D is the matrix of a method", unitFeature},
	{"column", "int32", []string{"c"},
		"index of the state that each column of D stands for, ascending; absent if it is the column's", ""},
	{"rows", "float64", []string{"u", "c"}, "distinct rows of the factored D, ascending", unitFeature},
	{"counts", "int64", []string{"u"}, "how often each distinct row occurs", "rows"},
	{"U", "float64", []string{"u", "c"}, "left singular vectors, one row for each distinct row", ""},
	{"S", "float64", []string{"c"}, "singular values sigma, descending", unitFeature},
	{"Vt", "float64", []string{"c", "c"}, "right singular vectors, one a row", ""},
	{"eigenpurpose", "float64", []string{"m", "d"}, "eigenpurpose of each option, with its sign", ""},
	{"theta", "float64", []string{"m", "A", "d + 1"},
		"weights of a linear learner, that of the constant first; absent with other learners", unitReward},
	{"value", "float64", []string{"m", "S"}, "v: expected discounted intrinsic reward from each state", unitReward},
	{"q", "float64", []string{"m", "S", "A"}, "q: what each action is worth in each state, one more backup of v",
		unitReward},
	{"policy", "int16", []string{"m", "S"}, "index of the option's action in each state, -1 where it terminates", ""},
	{"initiation", "bool", []string{"m", "S"}, "whether the option can start in the state", ""},
	{explorationName, "float64", []string{strconv.Itoa(len(explore.MeasureNames()))},
		"in this order, NaN where it is not defined: " + strings.Join(explore.MeasureNames(), ", "), ""},
	{firstVisitName, "int64", []string{"v", "2"},
		"states that the run first visited in the iteration, in order, and the steps of the run before that", ""},
	{"episode", "int64", []string{"e", "3"},
		"step before which an episode begins, its first state, and 1 if the episode before terminated, else 0; " +
			"absent without episodes", ""},
	{"reward", "float64", []string{"n"},
		"reward of each step, as the environment gave it; absent if it declares none", "reward of the environment"},
	{externalName, "float64", []string{"x"}, "what an external stage measured, in the order in which the run's " +
		"spec declares it (stages.measure.measures), NaN where it is not defined; absent without such a stage", ""},
}

// Arrays lists the names of an iteration's arrays in the order in which they are written.
var Arrays = textfmt.Map(descriptions, func(d description) string { return d.Name })
