// Package envs is podtrack's own: it has the environments, their states, primitive actions and features, and whatever
// else one may know of itself. Package pod names what other people's programs need of it.
//
// An environment whose transitions are known can be a [Graph]. [RegisterEnv] makes it known to the program
// under a name and version, so that a spec can name it, and [CheckEnv] checks it in every state. One whose
// transitions are not known is a [Simulation], or runs in another process as an [External] one: its states
// are the observations so far.
//
// An [Env] has what every environment has. The interfaces beside it say what else one can do, such as
// [ModelEnv], [Episodic], [Metric] or [Plane]; [As] asks for them. [NewEnv] returns the environment that a spec
// names.
package envs
