//go:build !unix

package e2e

import "os"

// Sigterm asks a process to end.
var Sigterm = os.Kill
