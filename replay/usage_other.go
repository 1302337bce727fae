//go:build !unix

package replay

import "time"

// processCPU is not known here.
func processCPU() time.Duration { return 0 }

// peakMemory is not known here.
func peakMemory() int64 { return 0 }
