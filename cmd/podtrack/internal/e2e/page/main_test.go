// Package page tests the page, in a browser.
package page

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, nil)
}
