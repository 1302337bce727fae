//go:build !unix

package e2e

import "os"

var sigterm = os.Kill
