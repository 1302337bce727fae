// Package e2e has the tests of the whole program, as its users see it: scripts of
// commands, signals and kills, full disks, limits, browsers and a Slurm cluster.
package e2e
