// Package documents tests what is said of the program: documents and help against what it does, and its
// sources against the rules of the project.
package documents

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }
