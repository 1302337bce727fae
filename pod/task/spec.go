package task

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Spec is everything that decides the outcome of an evaluation, apart from the
// iteration whose options are evaluated: a task, how it is learned, and the baselines.
type Spec struct {
	Goal      int       `json:"goal"`  // state
	Start     int       `json:"start"` // state, or [AnyStart]
	Algorithm Algorithm `json:"algorithm"`
	Interrupt bool      `json:"interrupt"` // leave an option for a better choice
	Episodes  int       `json:"episodes"`
	Limit     int64     `json:"limit"`   // steps an episode
	Alpha     float64   `json:"alpha"`   // step size
	Epsilon   float64   `json:"epsilon"` // exploration rate
	Gamma     float64   `json:"gamma"`   // discount of the task
	Seeds     []uint64  `json:"seeds"`
	Against   []string  `json:"against"` // some of Baselines, in that order
	All       bool      `json:"all"`     // options of the earlier iterations too

	// Tasks are the tasks of an evaluation of several, in ascending order; Goal and Start are those of the first.
	// It is empty if there is only one.
	Tasks []TaskStates `json:"tasks,omitempty"`
}

// TaskStates are the states of one of many tasks.
type TaskStates struct {
	Goal  int `json:"goal"`
	Start int `json:"start"` // or [AnyStart]
}

// compare orders tasks by goal, then by start.
func (t TaskStates) compare(other TaskStates) int {
	return cmp.Or(cmp.Compare(t.Goal, other.Goal), cmp.Compare(t.Start, other.Start))
}

// AnyStart means that the start is drawn for each episode.
const AnyStart = -1

// An Algorithm is a way to learn the values of options in an evaluation.
type Algorithm string

// The first two algorithms are those of Sutton, Precup & Singh (1999): the agent acts ε-greedily by the values
// of options. Its exploration rate falls from epsilon in the first episode to 0 in the first late one, and
// stays 0. Published is the protocol of the code of Machado, Bellemare & Bowling (2017): the agent acts at
// random over actions and options, learns the values of actions alone, and after each episode an ε-greedy one
// is scored, always with the same epsilon.
const (
	SMDP        Algorithm = "smdp"         // from whole option calls
	IntraOption Algorithm = "intra-option" // from each step, for all options that agree with it
	Published   Algorithm = "published"    // from each step, for its action
)

// algorithms are all algorithms.
var algorithms = []Algorithm{SMDP, IntraOption, Published}

// PublishedEpsilon is the usual exploration rate of the scored episodes of [Published].
const PublishedEpsilon = 0.01

// The baselines that options are compared with.
const (
	AgainstPrimitives = "primitives" // the primitive actions alone
	AgainstRandom     = "random-own" // with as many options of random purposes, learned by the run's own learner
	AgainstHallways   = "hallways"   // with hand-made options that lead to the hallways of rooms
)

// Baselines are all baselines.
var Baselines = []string{AgainstPrimitives, AgainstRandom, AgainstHallways}

// Limits of an evaluation. Steps are kept in 32 bits.
const (
	maxEpisodes     = 1 << 20
	maxEpisodeSteps = 1 << 31
	maxSeeds        = 1 << 12
	MaxTasks        = 1 << 14
)

// DefaultSpec returns the default evaluation for a goal. The discount and the
// exploration rate are those of the rooms of Sutton, Precup & Singh (1999).
func DefaultSpec(goal int) Spec {
	return Spec{
		Goal: goal, Start: AnyStart, Algorithm: SMDP,
		Episodes: 200, Limit: 1000, Alpha: 0.1, Epsilon: 0.1, Gamma: 0.9,
		Seeds: []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Against: []string{AgainstPrimitives, AgainstRandom},
	}
}

// LateEpisodes returns a tenth of the number of episodes, at least 1: so many at the beginning are early, and
// so many at the end are late.
func (e Spec) LateEpisodes() int { return max(e.Episodes/10, 1) }

// AllTasks returns the tasks, in order: [Spec.Tasks], or the only one.
func (e Spec) AllTasks() []TaskStates {
	if len(e.Tasks) > 0 {
		return e.Tasks
	}
	return []TaskStates{{Goal: e.Goal, Start: e.Start}}
}

// ArmOptions is the arm of the primitive actions and the options.
const ArmOptions = "options"

// Arms returns the arms of an evaluation, the action sets that it compares, in order: the options and the baselines.
func (e Spec) Arms() []string { return append([]string{ArmOptions}, e.Against...) }

// Of returns the spec of an evaluation of one of the tasks alone.
func (e Spec) Of(t TaskStates) Spec {
	e.Goal, e.Start, e.Tasks = t.Goal, t.Start, nil
	return e
}

// Validate returns [schema.ErrSpec] if no evaluation can have this spec; it does not check the
// states. It normalises −0 to 0.
func (e *Spec) Validate() error {
	e.Alpha, e.Epsilon, e.Gamma = e.Alpha+0, e.Epsilon+0, e.Gamma+0 // −0 + 0 = 0
	left := Baselines
	for _, name := range e.Against {
		i := slices.Index(left, name)
		if i < 0 {
			return schema.Invalid("against", name, "use each of %s at most once, in this order",
				strings.Join(Baselines, ", "))
		}
		left = left[i+1:]
	}
	switch {
	case e.Goal < 0 || e.Goal > math.MaxInt32:
		return schema.Invalid("goal", strconv.Itoa(e.Goal), "give a state")
	case e.Start < AnyStart || e.Start > math.MaxInt32:
		return schema.Invalid("start", strconv.Itoa(e.Start), "give a state, or none")
	case !slices.Contains(algorithms, e.Algorithm):
		return schema.Invalid("protocol", string(e.Algorithm), "use %s, %s or %s", SMDP, IntraOption, Published)
	case e.Algorithm == Published && e.Interrupt:
		return schema.Invalid("protocol", string(e.Algorithm), "turn interruption off: it learns values of actions only")
	case e.Episodes < 1 || e.Episodes > maxEpisodes:
		return schema.Invalid("episodes", strconv.Itoa(e.Episodes), "use 1 to %d", maxEpisodes)
	case e.Limit < 1 || e.Limit > maxEpisodeSteps:
		return schema.Invalid("steps", strconv.FormatInt(e.Limit, 10), "use 1 to %d steps an episode", int64(maxEpisodeSteps))
	case !(e.Alpha > 0 && e.Alpha <= 1):
		return schema.Invalid("alpha", textfmt.FormatExact(&e.Alpha), "use a step size above 0, up to 1")
	case !(e.Epsilon >= 0 && e.Epsilon <= 1):
		return schema.Invalid("epsilon", textfmt.FormatExact(&e.Epsilon), "use a share from 0 to 1")
	case !(e.Gamma > 0 && e.Gamma < 1):
		return schema.Invalid("task-gamma", textfmt.FormatExact(&e.Gamma), "use a discount between 0 and 1")
	case len(e.Seeds) == 0 || len(e.Seeds) > maxSeeds:
		return schema.Invalid("seeds", strconv.Itoa(len(e.Seeds)), "use 1 to %d seeds", maxSeeds)
	case !slices.IsSorted(e.Seeds) || len(slices.Compact(slices.Clone(e.Seeds))) != len(e.Seeds):
		return schema.Invalid("seeds", fmt.Sprint(e.Seeds), "use each seed once, in ascending order")
	}
	return e.validateTasks()
}

func (e *Spec) validateTasks() error {
	if len(e.Tasks) == 0 {
		return nil
	}
	if len(e.Tasks) > MaxTasks {
		return schema.Invalid("tasks", strconv.Itoa(len(e.Tasks)), "use up to %d tasks", MaxTasks)
	}
	if first := e.Tasks[0]; first.Goal != e.Goal || first.Start != e.Start {
		return schema.Invalid("tasks", fmt.Sprint(first.Goal), "give goal and start of the first task")
	}
	for i, t := range e.Tasks {
		switch {
		case t.Goal < 0 || t.Goal > math.MaxInt32 || t.Start < AnyStart || t.Start > math.MaxInt32:
			return schema.Invalid("tasks", fmt.Sprintf("%d from %d", t.Goal, t.Start), "give states")
		case i > 0 && e.Tasks[i-1].compare(t) >= 0:
			return schema.Invalid("tasks", fmt.Sprintf("%d from %d", t.Goal, t.Start), "give each task once, in ascending order")
		}
	}
	return nil
}

// NewTasks returns a spec with these tasks, in any order, each of them once.
func (e Spec) NewTasks(tasks []TaskStates) Spec {
	e.Tasks = slices.Compact(slices.SortedFunc(slices.Values(tasks), TaskStates.compare))
	if len(e.Tasks) > 0 {
		e.Goal, e.Start = e.Tasks[0].Goal, e.Tasks[0].Start
	}
	return e
}
