// Package programs is podtrack's own: it starts every program that podtrack starts: nothing else in
// podtrack does, and a test enforces it.
//
// [Uses] lists what podtrack executes, and what a user types for it to do so.
// Whatever is read from a store, a bundle, a sweep folder, a TOML file, a spec or an
// archive is data: no program, argument or path of a program comes from there, unless
// the user types --allow-exec.
//
// A program is never looked for in the current folder. A name without a slash is found
// on PATH, in the folders there that are absolute paths; a name with one is a path that
// the user typed.
package programs
