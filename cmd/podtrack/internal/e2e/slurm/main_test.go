// Package slurm tests sweeps on a Slurm of its own.
package slurm

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
