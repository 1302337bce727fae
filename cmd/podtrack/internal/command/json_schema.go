package command

import (
	"fmt"
	"net/url"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// answers returns all that prints JSON: the commands, and the flags that podtrack takes without one.
func answers() []cmdline.Command {
	return append(cmdline.Commands(),
		cmdline.Command{Name: "--version", Usage: "versions of the program", JSON: []any{replay.Versions{}}},
		cmdline.Command{Name: "--licenses", Usage: "licenses of the program", JSON: []any{licenses{}}})
}

// jsonSchema returns the JSON Schema (draft 2020-12) of what --json prints, with a definition for each command.
func jsonSchema() *jsonschema.Schema {
	all := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "what podtrack " + schema.Version + " prints with --json",
		Description: "$defs has each command. Where it prints a line of JSON for each result, this is a line. " +
			"Objects have no other fields in this version; later ones may add some.",
		Defs: map[string]*jsonschema.Schema{},
	}
	for _, d := range answers() {
		if len(d.JSON) > 0 {
			all.Defs[d.Name] = schemaOf(d)
			all.AnyOf = append(all.AnyOf, &jsonschema.Schema{Ref: "#/$defs/" + url.PathEscape(d.Name)})
		}
	}
	return all
}

// AnswerSchema returns the schema of the JSON of one command, nil if it prints none.
func AnswerSchema(name string) *jsonschema.Schema {
	for _, d := range answers() {
		if d.Name == name && len(d.JSON) > 0 {
			return schemaOf(d)
		}
	}
	return nil
}

func schemaOf(d cmdline.Command) *jsonschema.Schema {
	answer := &jsonschema.Schema{}
	for _, v := range d.JSON {
		t := reflect.TypeOf(v)
		one, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: marshalled})
		if err != nil {
			panic(fmt.Sprintf("%s --json prints %s: %v", d.Name, t, err))
		}
		answer.AnyOf = append(answer.AnyOf, one)
	}
	if len(answer.AnyOf) == 1 {
		answer = answer.AnyOf[0]
	}
	answer.Description = d.Usage
	return answer
}

// marshalled are the schemas of the types that have a JSON form of their own.
var marshalled = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[schema.Digest]():     {Type: "string", Pattern: "^[0-9a-f]{64}$"},
	reflect.TypeFor[schema.Reason]():     {Type: "string"},
	reflect.TypeFor[runset.Seeds]():      {Type: "string"},
	reflect.TypeFor[schema.PathLength](): {Types: []string{"integer", "null"}},
	reflect.TypeFor[diff.ChanceLevel](): {
		Type: "object", Required: []string{"mean", "p95", "draws"},
		Properties: map[string]*jsonschema.Schema{
			"mean":  {Types: []string{"number", "null"}},
			"p95":   {Types: []string{"number", "null"}},
			"draws": {Type: "integer"},
		},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	},
}
