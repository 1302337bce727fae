// Package external runs environments and stages in other processes, over their stdin and stdout. PROTOCOL.md in this
// folder specifies the protocol of environments, STAGES.md that of stages.
//
// A [Program] is made of a [Command], such as [Gym] returns for an environment of Gymnasium:
//
//	command, err := external.Gym("FrozenLake-v1", "python3", external.DefaultTimeout)
//	if err != nil {
//		return err
//	}
//	program := external.NewProgram(command)
//	env, err := program.QueryEnv(ctx) // what the program declares, for pod.NewSpec
//	if err != nil {
//		return err
//	}
//	run, err := store.Run(ctx, replay.Job{Spec: pod.NewSpec(env), Target: 3}, replay.Options{Launcher: program})
//
// [NewStagePrograms] does the same for programs that compute stages of an iteration; they are handed to the Stages of
// [replay.Options].
//
// A program's answers are untrusted until checked. An environment that fails, stops or breaks the protocol is an error
// that names it and wraps [pod.ErrEnvFailed]; the error of a stage wraps [pod.ErrStageFailed]. Both have a remedy,
// which [schema.Remedy] returns.
//
// # Rules
//
//   - A command is never in a spec, and none is taken from a store: no data can make this process execute anything.
//   - Each iteration has its own process, so that no state leaks from one to another. The process is ended together
//     with everything that it started: its process group and, on Linux, also processes that left the group.
package external
