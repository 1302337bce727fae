// Package runner turns flags and spec files into jobs, and executes them.
package runner
