// Package study executes registered studies: settings, variants of POD, seeds, outcomes and comparisons that
// were fixed in a file before any of its runs was made.
//
// # The path to read
//
//  1. exploration.toml is the study of podtrack reproduce exploration; [Parse] reads such a file, study.go has
//     its types.
//  2. A setting is a plan of package sweep, a spec for each variant; [Study.Jobs] are its runs, which are executed
//     like any others.
//  3. [Study.Measure] reads the recorded runs as groups, which package group summarises, and compares them seed by
//     seed: result.go.
//  4. lost.go explains: which directions of D have which σ, how far their options lead, and how often they end
//     in states that were not visited yet.
//
// Nothing is stored: a result follows from the runs, and the runs from their specs.
package study
