// Package study executes registered studies: settings, variants of POD, seeds, outcomes and comparisons that
// were fixed in a file before any of its runs was made.
//
// parse reads such a file; [Exploration] is the study of podtrack reproduce exploration. A setting is a plan of
// package sweep with a spec for each variant; [Study.Jobs] are its runs, which are executed like any others.
// [Study.Measure] reads the recorded runs as groups and compares them seed by seed.
//
// Nothing is stored: a result follows from the runs, and the runs from their specs.
package study
