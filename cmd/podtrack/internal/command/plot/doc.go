// Package plot is the command podtrack plot, and the figures that serve shows.
package plot
