package evaluation

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
	Version   uint64    `cbor:"version" json:"version"` // of the computation, specVersion
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
	All       bool      `cbor:"all" json:"all"`         // options of the earlier iterations too

	// Model is the model in which the agent learns.
	Model Model `cbor:"model,omitempty" json:"model,omitempty"`

	// Reward makes the recorded rewards of the environment the task, in place of a goal. Goal is then 0, and
	// [AnyStart] stands for the states in which the recorded episodes began.
	Reward bool `cbor:"reward,omitempty" json:"reward,omitempty"`

	// Tasks are the tasks of an evaluation of several, in ascending order; Goal and Start are those of the first.
	// It is empty if there is only one.
	Tasks []TaskStates `cbor:"tasks,omitempty" json:"tasks,omitempty"`
}

// TaskStates are the states of one of many tasks.
type TaskStates struct {
	_     struct{} `cbor:",toarray"`
	Goal  int      `json:"goal"`
	Start int      `json:"start"` // or [AnyStart]
}

// compare orders tasks by goal, then by start.
func (t TaskStates) compare(other TaskStates) int {
	return cmp.Or(cmp.Compare(t.Goal, other.Goal), cmp.Compare(t.Start, other.Start))
}

// An Model is the model in which an agent learns a task.
type Model string

// The models: the environment's own, and the one estimated from the recorded transitions of all iterations up
// to the evaluated one.
const (
	OwnModel       Model = ""
	EmpiricalModel Model = "empirical"
)

// specVersion is the version of what an evaluation computes.
const specVersion = 1

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

// Algorithms are all algorithms.
var Algorithms = []Algorithm{SMDP, IntraOption, Published}

// RewardGamma is the usual discount if recorded rewards are the task. It is close to 1 because returns are
// compared undiscounted: with a smaller one agents would learn to prefer early rewards.
const RewardGamma = 0.99

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

// Limits of an evaluation. Steps are recorded in 32 bits.
const (
	maxEpisodes     = 1 << 20
	MaxEpisodeSteps = 1 << 31
	maxSeeds        = 1 << 12
	MaxTasks        = 1 << 14
)

// DefaultSpec returns the default evaluation for a goal. The discount and the
// exploration rate are those of the rooms of Sutton, Precup & Singh (1999).
func DefaultSpec(goal int) Spec {
	return Spec{
		Version: specVersion, Goal: goal, Start: AnyStart, Algorithm: SMDP,
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
	case e.Version != specVersion:
		return schema.Hint(fmt.Errorf("%w: evaluation version %d", schema.ErrSpec, e.Version), "this program has version %d",
			specVersion)
	case e.Goal < 0 || e.Goal > math.MaxInt32:
		return schema.Invalid("goal", strconv.Itoa(e.Goal), "give a state")
	case e.Start < AnyStart || e.Start > math.MaxInt32:
		return schema.Invalid("start", strconv.Itoa(e.Start), "give a state, or none")
	case !slices.Contains(Algorithms, e.Algorithm):
		return schema.Invalid("protocol", string(e.Algorithm), "use %s, %s or %s", SMDP, IntraOption, Published)
	case e.Algorithm == Published && e.Interrupt:
		return schema.Invalid("protocol", string(e.Algorithm), "turn interruption off: it learns values of actions only")
	case e.Model != OwnModel && e.Model != EmpiricalModel:
		return schema.Invalid("model", string(e.Model), "leave it out, or use %s", EmpiricalModel)
	case e.Model != OwnModel && slices.Contains(e.Against, AgainstHallways):
		return schema.Hint(fmt.Errorf("%w: %s need the environment's map, and only recorded transitions are known",
			schema.ErrSpec, AgainstHallways), "compare with %s and %s", AgainstPrimitives, AgainstRandom)
	case e.Reward && e.Model == OwnModel:
		return schema.Hint(fmt.Errorf("%w: rewards as a task need the empirical model", schema.ErrSpec),
			"only the recorded rewards of an environment in another process can be a task")
	case e.Reward && (e.Goal != 0 || len(e.Tasks) > 0):
		return schema.Hint(fmt.Errorf("%w: both rewards and a goal as a task", schema.ErrSpec),
			"give only one; with rewards the goal is 0")
	case e.Episodes < 1 || e.Episodes > maxEpisodes:
		return schema.Invalid("episodes", strconv.Itoa(e.Episodes), "use 1 to %d", maxEpisodes)
	case e.Limit < 1 || e.Limit > MaxEpisodeSteps:
		return schema.Invalid("steps", strconv.FormatInt(e.Limit, 10), "use 1 to %d steps an episode", int64(MaxEpisodeSteps))
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
