// Package external runs environments in other processes, over their stdin and stdout.
// PROTOCOL.md in this folder specifies the protocol.
//
// A [Program] made of a command, such as [Gym] returns, declares its environment ([Program.QueryEnv]) and launches it
// ([Program.Launch]) for an agent to act in.
//
// # The path to read
//
//  1. program.go has the command that starts an environment, and launches it for an iteration.
//  2. process.go starts the program, by package programs, detects when it exits by itself, and ends it in every case.
//  3. exchange.go is one request and its answer: one line each, within a deadline.
//  4. declare.go checks what a program declares, and names the extensions of the protocol.
//  5. running_env.go takes steps in it, observe.go parses its observations.
//  6. step_ahead.go takes many steps by a message, batch.go reads the answer, policies.go sends options to a program
//     that decides.
//  7. stage_programs.go starts the programs of stages, stage_calls.go declares each stage and how its program is
//     asked, stage_collect.go has the longest of them.
//  8. check.go does the checks of podtrack env check, which conformance.go lists, and of podtrack run check, which
//     stage_check.go does.
//  9. gym.go has the adapter for Gymnasium: podtrack_gym.py, above podtrack_loop.py, which serves
//     any environment in Python.
//
// # Rules
//
//   - A command is never in a spec, and none is taken from a store: no data can make this program execute
//     anything.
//   - A program's answers are untrusted until checked. Every fault is an error that names
//     the environment and a remedy, and is a [envs.ErrEnvFailed].
//   - Each iteration has its own process, so that no state leaks from one to another. The
//     process is ended with everything that it started: its process group, and on Linux
//     also processes that left the group (system_linux.go).
package external
