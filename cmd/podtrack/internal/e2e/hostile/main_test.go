// Package hostile tests hostile texts, files and requests, and limits on what the program may take.
package hostile

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
