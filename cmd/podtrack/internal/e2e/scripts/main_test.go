// Package scripts tests scripts of what a user types.
package scripts

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, map[string]func(){"podtrack-own": ownPodtrack}) }
