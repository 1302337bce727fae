// Package compare is the command podtrack compare, and how groups of runs are shown.
package compare
