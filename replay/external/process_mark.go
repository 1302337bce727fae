package external

import "crypto/rand"

// newMark returns a variable that no other program has: all that a program starts
// inherits it. Its name is new as well, so that a podtrack within a podtrack hands on
// both.
func newMark() string { return "PODTRACK_STARTED_" + rand.Text() + "=1" }
