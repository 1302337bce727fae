// Package programs is podtrack's own: it starts all programs that podtrack executes. A test ensures that no other
// package starts any.
//
// [Uses] lists the reasons for which podtrack executes programs. A store, a bundle, a TOML file, a spec
// and an archive are data: no program, argument or path of a program is taken from there, unless the user allows it
// explicitly.
//
// A program is never searched for in the current folder. A name without a slash is looked up in the absolute folders of
// PATH; a name with a slash is a path that the user typed.
package programs
