// Package e2e has what the tests of the whole program share, which stand in the packages
// below it by what they test. Their binaries are the program: see [Main].
package e2e
