// Package table1 compares the paper's Table 1 with the measurements of this program:
// which runs it needs, what the paper printed, and how far the two are apart.
//
// Column c of the table speaks of iterations c − 1 and c: its number of options
// is the purposes that iteration c − 1 selected, its length and distance were
// measured during iteration c.
package table1
