// Package faults tests system calls that fail, disks that are full, and power that is lost.
package faults

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
