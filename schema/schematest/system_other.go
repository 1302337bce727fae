//go:build !unix

package schematest

import "time"

// ProcessorTime returns 0: this system is not asked.
func ProcessorTime() time.Duration { return 0 }
