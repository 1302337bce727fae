//go:build !unix

package replay

import "time"

// processCPU returns 0: CPU time is not known on this system.
func processCPU() time.Duration { return 0 }

// peakMemory returns 0: peak memory is not known on this system.
func peakMemory() int64 { return 0 }
