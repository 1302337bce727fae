// Package envs is podtrack's own: it defines environments: states, primitive actions, features, and optional properties
// such as a model, episodes or distances. Package pod exports what other programs need of it.
//
// An environment whose transitions are known can be a [Graph]. [RegisterEnv] makes it known to the program
// under a name and version, so that a spec can name it, and [CheckEnv] checks it in every state. One whose
// transitions are not known is a [Simulation], or runs in another process as an [External] one: its states
// are the observations so far.
//
// Every environment implements [Env], and may implement further interfaces, such as [ModelEnv], [Episodic] or [Metric];
// [As] asserts them. [NewEnv] returns the environment that a spec names.
package envs
