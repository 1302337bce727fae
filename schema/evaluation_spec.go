package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// EvaluationSpec is everything that decides the outcome of an evaluation, apart from the
// iteration whose options are evaluated: a task, how it is learned, and the baselines.
type EvaluationSpec struct {
	Version   uint64    `cbor:"version" json:"version"` // of the computation, [EvaluationVersion]
	Goal      int       `cbor:"goal" json:"goal"`       // state
	Start     int       `cbor:"start" json:"start"`     // state, or [AnyStart]
	Algorithm Algorithm `cbor:"algorithm" json:"algorithm"`
	Interrupt bool      `cbor:"interrupt" json:"interrupt"` // leave an option for a better choice
	Episodes  int       `cbor:"episodes" json:"episodes"`
	Limit     int64     `cbor:"limit" json:"limit"`     // steps an episode
	Alpha     float64   `cbor:"alpha" json:"alpha"`     // step size
	Epsilon   float64   `cbor:"epsilon" json:"epsilon"` // exploration rate
	Gamma     float64   `cbor:"gamma" json:"gamma"`     // discount of the task
	Seeds     []uint64  `cbor:"seeds" json:"seeds"`
	Against   []string  `cbor:"against" json:"against"` // some of Baselines, in that order
	LeaveOut  bool      `cbor:"leave_out" json:"leave_one_out"`
	All       bool      `cbor:"all" json:"all"` // options of the earlier iterations too
}

// EvaluationVersion is the version of what an evaluation computes.
const EvaluationVersion = 1

// AnyStart means that the start is drawn for each episode.
const AnyStart = -1

// Algorithm is how the values of options are learned in an evaluation.
type Algorithm string

// The algorithms of Sutton, Precup & Singh (1999).
const (
	SMDP        Algorithm = "smdp"         // from whole option calls
	IntraOption Algorithm = "intra-option" // from each step, for all options that agree with it
)

// The baselines that options are compared with.
const (
	AgainstPrimitives = "primitives" // the primitive actions alone
	AgainstRandom     = "random"     // and as many options of random purposes
)

// Baselines are all baselines.
var Baselines = []string{AgainstPrimitives, AgainstRandom}

// Limits of an evaluation. Steps are recorded in 32 bits.
const (
	MaxEpisodes     = 1 << 20
	MaxEpisodeSteps = 1 << 31
	MaxSeeds        = 1 << 12
)

// DefaultEvaluation returns the default evaluation for a goal. The discount and the
// exploration rate are those of the rooms of Sutton, Precup & Singh (1999).
func DefaultEvaluation(goal int) EvaluationSpec {
	return EvaluationSpec{
		Version: EvaluationVersion, Goal: goal, Start: AnyStart, Algorithm: SMDP,
		Episodes: 200, Limit: 1000, Alpha: 0.1, Epsilon: 0.1, Gamma: 0.9,
		Seeds: []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Against: slices.Clone(Baselines),
	}
}

// Validate returns [ErrSpec] if no evaluation can have this spec; it does not check the
// states. It normalises −0 to 0.
func (s *EvaluationSpec) Validate() error {
	s.Alpha, s.Epsilon, s.Gamma = s.Alpha+0, s.Epsilon+0, s.Gamma+0 // −0 + 0 = 0
	left := Baselines
	for _, name := range s.Against {
		i := slices.Index(left, name)
		if i < 0 {
			return invalid("against", name, "use each of %v once at most", Baselines)
		}
		left = left[i+1:]
	}
	switch {
	case s.Version != EvaluationVersion:
		return Hint(fmt.Errorf("%w: version %d of evaluations", ErrSpec, s.Version), "this program has version %d",
			EvaluationVersion)
	case s.Goal < 0 || s.Goal > math.MaxInt32:
		return invalid("goal", strconv.Itoa(s.Goal), "give a state")
	case s.Start < AnyStart || s.Start > math.MaxInt32:
		return invalid("start", strconv.Itoa(s.Start), "give a state, or none")
	case s.Algorithm != SMDP && s.Algorithm != IntraOption:
		return invalid("algorithm", string(s.Algorithm), "use %s or %s", SMDP, IntraOption)
	case s.Episodes < 1 || s.Episodes > MaxEpisodes:
		return invalid("episodes", strconv.Itoa(s.Episodes), "use 1 to %d", MaxEpisodes)
	case s.Limit < 1 || s.Limit > MaxEpisodeSteps:
		return invalid("steps", strconv.FormatInt(s.Limit, 10), "use 1 to %d steps an episode", int64(MaxEpisodeSteps))
	case !(s.Alpha > 0 && s.Alpha <= 1):
		return invalid("alpha", formatFloat(s.Alpha), "use a step size above 0, up to 1")
	case !(s.Epsilon >= 0 && s.Epsilon <= 1):
		return invalid("epsilon", formatFloat(s.Epsilon), "use a share from 0 to 1")
	case !(s.Gamma > 0 && s.Gamma < 1):
		return invalid("task-gamma", formatFloat(s.Gamma), "use a discount between 0 and 1")
	case len(s.Seeds) == 0 || len(s.Seeds) > MaxSeeds:
		return invalid("seeds", strconv.Itoa(len(s.Seeds)), "use 1 to %d seeds", MaxSeeds)
	case !slices.IsSorted(s.Seeds) || len(slices.Compact(slices.Clone(s.Seeds))) != len(s.Seeds):
		return invalid("seeds", fmt.Sprint(s.Seeds), "use each seed once, in ascending order")
	}
	return nil
}
