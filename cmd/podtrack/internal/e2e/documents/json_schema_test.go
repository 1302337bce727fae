package documents

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// Every command that the tests of the whole program execute with --json is validated where it ends: see [e2e.Main].

// TestSchemaHasCommands: a command has a schema if it has the flag --json.
func TestSchemaHasCommands(t *testing.T) {
	commands := allCommands()
	for _, d := range cmdline.Commands() {
		c := commands[d.Name]
		prints := c != nil && slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "json" })
		if prints != (len(d.JSON) > 0) {
			t.Errorf("%s: --json is a flag: %v; types that it prints: %d", d.Name, prints, len(d.JSON))
		}
	}
}

// TestSchemaPrinted: the schema that help prints accepts a run, as a whole and by the definition of the command, and
// rejects a run with a field that is missing, unknown or of another type.
func TestSchemaPrinted(t *testing.T) {
	var printed jsonschema.Schema
	e2e.Must(t, json.Unmarshal([]byte(e2e.Perform(t, "help", "json", "--schema")), &printed))
	show := e2e.Perform(t, "show", "@1", "--json", "--store", e2e.Small(t))
	var of any
	e2e.Must(t, json.Unmarshal([]byte(show), &of))
	if printed.Schema != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("$schema is %q", printed.Schema)
	}
	whole, err := printed.Resolve(nil)
	e2e.Must(t, err)
	e2e.Must(t, whole.Validate(of))
	for _, one := range printed.AnyOf {
		alone := printed.CloneSchemas()
		alone.AnyOf = []*jsonschema.Schema{one.CloneSchemas()}
		resolved, err := alone.Resolve(nil)
		e2e.Must(t, err)
		if err := resolved.Validate(of); (err == nil) != (one.Ref == "#/$defs/show") {
			t.Errorf("what show prints, as the answer of %s: %v", one.Ref, err)
		}
	}
	for _, forge := range []func(document, iteration map[string]any){
		func(d, _ map[string]any) { d["more"] = 1.0 },
		func(_, it map[string]any) { it["more"] = 1.0 },
		func(d, _ map[string]any) { delete(d, "head") },
		func(_, it map[string]any) { delete(it, "link") },
		func(d, _ map[string]any) { d["target"] = "2" },
		func(_, it map[string]any) { it["link"] = "0123" },
		func(d, _ map[string]any) { d["history"] = map[string]any{} },
	} {
		var document map[string]any
		e2e.Must(t, json.Unmarshal([]byte(show), &document))
		forge(document, document["history"].([]any)[1].(map[string]any))
		forged, err := json.Marshal(document)
		e2e.Must(t, err)
		validate := e2e.AnswerSchema(command.AnswerSchema).Validate
		if err := validate([]string{"podtrack", "show", "@1", "--json"}, bytes.NewBuffer(forged)); err == nil {
			t.Errorf("valid: %s", forged)
		}
		if err := whole.Validate(document); err == nil {
			t.Errorf("the whole schema accepts %s", forged)
		}
	}
}
