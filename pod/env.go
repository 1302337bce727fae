package pod

import (
	"context"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// The types of this file are those of packages envs, collect and linalg, under the names by which other people's
// programs have them. Their fields and methods are documented there, as in go doc pod/envs.Graph.

// An Env is an environment: states, primitive actions, and features of the states.
type Env = envs.Env

// A Graph defines an environment whose dynamics are known: where each action leads from each state.
type Graph = envs.Graph

// A Branch is one of the states to which an action of a [Graph] may lead, with its weight.
type Branch = envs.Branch

// A SimulatedEnv is an environment with a model, as [Graph.Env] returns it.
type SimulatedEnv = envs.SimulatedEnv

// A RegisteredEnv is the definition of an environment, under a name and a version, for [RegisterEnv].
type RegisteredEnv = envs.RegisteredEnv

// A Parameter is a whole number that configures a [RegisteredEnv].
type Parameter = envs.Parameter

// A TextParameter is a text that configures a [RegisteredEnv].
type TextParameter = envs.TextParameter

// RegisterEnv makes an environment known to this program, so that a spec can name it. Its name has an owner in front,
// as in example.org/maze. A name and version mean the same transitions and features for ever: a change of either is
// another version. The error wraps [schema.ErrSpec] if the definition is not complete, or is registered already.
func RegisterEnv(e RegisteredEnv) error { return envs.RegisterEnv(e) }

// DefaultEnv returns the newest version of an environment, as a spec has it, with the defaults of its parameters. The
// error wraps [schema.ErrSpec] if this program has no environment of that name.
func DefaultEnv(name string) (schema.Env, error) { return envs.DefaultEnv(name) }

// CheckEnv checks an environment in every state, for its test: actions, features, and each branch.
func CheckEnv(ctx context.Context, env Env) error { return envs.CheckEnv(ctx, env) }

// A Simulation defines an environment whose dynamics are not known: its states are the distinct observations.
type Simulation[O Observed] = envs.Simulation[O]

// A Simulator is a [Simulation] in execution.
type Simulator[O Observed] = envs.Simulator[O]

// An Outcome is the result of a step of a [Simulator].
type Outcome[O Observed] = envs.Outcome[O]

// Observed is what a [Simulation] shows: the number of a state, features of 0 or 1, or real features.
type Observed = envs.Observed

// A RunningEnv is an environment in which an agent acts, as a launcher of package replay returns it.
type RunningEnv = envs.RunningEnv

// ObservedStates are the observations so far, numbered in the order in which they were first made.
type ObservedStates = envs.ObservedStates

// A StepResult is what a step in a [RunningEnv] leads to.
type StepResult = envs.StepResult

// An EpisodeEnd says whether an episode ended with a step.
type EpisodeEnd = envs.EpisodeEnd

// The ends of an episode: the environment ends it, or a limit of steps.
const (
	NotEnded   = envs.NotEnded
	Terminated = envs.Terminated
	Truncated  = envs.Truncated
)

// A Transition leads from a state by an action to a next state.
type Transition = envs.Transition

// A CountedTransition is a [Transition] with the number of times that it was observed.
type CountedTransition = envs.CountedTransition

// TransitionCounts are distinct transitions with counts, ordered by state, action and next state.
type TransitionCounts = envs.TransitionCounts

// An OptionSet has options by their numbers, and says which of them are in the action set.
type OptionSet = collect.OptionSet

// A Dataset is the matrix D: its distinct rows in ascending lexicographic order, each with a count.
type Dataset = linalg.Dataset

// A PanicError is the panic of an environment or a stage of a user, with its place and stack. It ends the run alone.
type PanicError = envs.PanicError

// Errors of environments that do not belong to podtrack.
var (
	ErrEnvFailed   = envs.ErrEnvFailed   // a function or the process of an environment failed
	ErrEnvMismatch = envs.ErrEnvMismatch // the environment is another one than the run's
)
