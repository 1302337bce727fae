package external

import "crypto/rand"

// newMark returns a unique environment variable that everything a program starts inherits. Its
// name is unique as well, so that a podtrack within a podtrack passes on both.
func newMark() string { return "PODTRACK_STARTED_" + rand.Text() + "=1" }
