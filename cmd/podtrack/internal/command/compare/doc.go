// Package compare implements the command podtrack compare and the display of groups of runs.
package compare
