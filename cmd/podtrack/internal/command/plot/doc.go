// Package plot implements the command podtrack plot and the figures that podtrack serve shows.
package plot
