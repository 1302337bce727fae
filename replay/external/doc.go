// Package external runs environments that are programs of their own, over their
// stdin and stdout. PROTOCOL.md in this folder is what such a program has to do.
//
// What flows in are the words of a command; what flows out is a [schema.Env], as the
// program declares itself ([Ask]), or a [pod.RunningEnv] in which an agent acts
// ([Program.Launch]).
//
// # The path to read
//
//  1. command.go splits a command into words, without a shell.
//  2. process.go starts the program, by package programs, and ends it, whatever it
//     does; launch.go notices when it ends by itself.
//  3. exchange.go is one request and its answer: one line each, within a deadline.
//  4. declare.go holds what a program says of itself to what a spec can have.
//  5. program.go enters it for an iteration, world.go acts in it, observe.go reads
//     what it shows; snapshot.go is for podtrack env check alone.
//  6. check.go is the list of what podtrack env check tries, trial.go each of it.
//  7. gym.go has the adapter for Gymnasium, podtrack_gym.py.
//
// # Rules
//
//   - A command is never in a spec or in a store: nothing that comes from elsewhere
//     makes this program execute anything.
//   - What a program answers is hostile until checked. Whatever it does wrong is an
//     error that names the environment and says how to mend it, and is a
//     [pod.ErrEnvFailed].
//   - Each iteration has a process of its own, so that what one leaves behind in the
//     program cannot reach another. The process is ended, and all that it started:
//     its process group, and on Linux what left the group (descend_linux.go).
package external
