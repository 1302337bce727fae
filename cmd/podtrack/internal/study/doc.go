// Package study compares the variants of a study in each of its settings, with one verdict.
//
// A study is a plan with names, which a file describes: package command/run/sweep reads the file and makes its runs.
// [Compare] reads the recorded runs as groups and compares their outcomes by seed.
package study
