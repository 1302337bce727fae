// Package external runs environments in other processes, over their stdin and stdout.
// PROTOCOL.md in this folder specifies the protocol.
//
// The input is a command, such as [Gym] returns; the output is a [schema.Env], as the program declares itself
// ([Program.QueryEnv]), or a [pod.RunningEnv] in which an agent acts ([Program.Launch]).
//
// # The path to read
//
//  1. command.go is what starts an environment.
//  2. process_start.go starts the program, by package programs, process_close.go ends it in
//     every case; launch.go detects when it exits by itself.
//  3. exchange.go is one request and its answer: one line each, within a deadline.
//  4. declare.go checks what a program declares.
//  5. program.go launches it for an iteration, running_env.go takes steps in it,
//     observe.go parses its observations; snapshot.go serves podtrack env check alone.
//  6. extensions.go names the extensions of the protocol: step_ahead.go takes many steps by a
//     message, batch.go reads the answer, policies.go and weights.go send options to a program
//     that decides.
//  7. check.go lists the checks of podtrack env check, conformance.go implements them. stage_check.go has those of
//     podtrack run check.
//  8. gym.go has the adapter for Gymnasium: podtrack_gym.py, above podtrack_loop.py, which serves
//     any environment in Python.
//
// # Rules
//
//   - A command is never in a spec, and none is taken from a store: no data can make this program execute
//     anything.
//   - A program's answers are untrusted until checked. Every fault is an error that names
//     the environment and a remedy, and is a [pod.ErrEnvFailed].
//   - Each iteration has its own process, so that no state leaks from one to another. The
//     process is ended with everything that it started: its process group, and on Linux
//     also processes that left the group (descendants_linux.go).
package external
