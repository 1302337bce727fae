// Package study executes registered studies: settings, variants of POD, seeds, outcomes and comparisons that
// were fixed in a file before any of its runs was made.
//
// # The path to read
//
//  1. exploration.toml is the study of podtrack reproduce exploration; [Parse] reads such a file, study.go has
//     its types.
//  2. [Study.Spec] is the spec of a setting, a variant and a seed; the runs are executed like any others.
//  3. [Study.Measure] reads the recorded runs: outcome.go one run, result.go all of them, which it compares
//     seed by seed.
//  4. lost.go explains: which directions of D have which σ, how far their options lead, and how often they end
//     in states that were not visited yet.
//
// Nothing is stored: a result follows from the runs, and the runs from their specs.
package study
