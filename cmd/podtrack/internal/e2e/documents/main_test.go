// Package documents tests what is said of the program: documents and help against what it does, and its
// sources against the rules of the project.
//
// It also holds what people and their programs rely on. [TestDocuments] has what is printed for people in
// README.md and the help topics, [TestSurface] what is exported for Go, and [TestOutside] the fields of JSON,
// the headers of CSV, flags, and the bits of exported arrays. Heads are in replay/testdata/heads.json, and
// whole transcripts in package scripts.
package documents

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
)

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, map[string]func(){
		"outside-stages": answerStages, "serve-env": envserver.Main, "hostile-world": envserver.HostileWorld,
	})
}
