// Package fault lets tests end the program at known points, to see what a crash leaves
// behind. Only a build with the tag faults does so: on.go lists the points and the
// environment variables. In any other build nothing here has an effect.
package fault
