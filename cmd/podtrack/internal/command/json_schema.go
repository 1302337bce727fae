package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

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

const definitions = "#/$defs/" // what references to definitions begin with

// jsonSchema returns the JSON Schema (draft 2020-12) of what commands print with --json, with a definition for each of
// them and for each type of an object.
func jsonSchema(commands []cmdline.Command) *jsonschema.Schema {
	all := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "what podtrack " + schema.Version + " prints with --json",
		Description: "$defs has each command, and the types of objects. Where a command prints a line of JSON for each " +
			"result, its answer is a line. Objects have no other fields in this version; later ones may add some.",
		Defs: map[string]*jsonschema.Schema{},
	}
	types := objectTypes{schemas: maps.Clone(marshalled), embedded: map[reflect.Type]bool{}}
	for _, d := range commands {
		for _, v := range d.JSON {
			types.find(reflect.TypeOf(v))
		}
	}
	maps.DeleteFunc(types.schemas, func(t reflect.Type, _ *jsonschema.Schema) bool { return types.embedded[t] })
	for t, s := range types.schemas {
		if s.Ref != "" {
			others := objectTypes{schemas: maps.Clone(types.schemas)}
			delete(others.schemas, t)
			all.Defs[t.String()] = others.refer(t)
		}
	}
	for _, d := range commands {
		if len(d.JSON) == 0 {
			continue
		}
		answer := &jsonschema.Schema{Description: d.Usage}
		for _, v := range d.JSON {
			answer.AnyOf = append(answer.AnyOf, types.refer(reflect.TypeOf(v)))
		}
		all.Defs[d.Name] = answer
		all.AnyOf = append(all.AnyOf, &jsonschema.Schema{Ref: definitions + url.PathEscape(d.Name)})
	}
	return all
}

// AnswerSchema returns the schema of the JSON that a command line prints.
func AnswerSchema(args []string) (*jsonschema.Schema, error) {
	args, err := cmdline.ReorderArgs(NewApp(io.Discard, io.Discard), args)
	if err != nil {
		return nil, err
	}
	line := strings.Join(args[1:], " ") + " "
	for _, d := range slices.Backward(answers()) { // "compare x" comes after "compare"
		if strings.HasPrefix(line, d.Name+" ") && len(d.JSON) > 0 {
			one := jsonSchema([]cmdline.Command{d})
			one.AnyOf = one.Defs[d.Name].AnyOf
			delete(one.Defs, d.Name)
			return one, nil
		}
	}
	return nil, errors.New("the schema has no such command")
}

// objectTypes are types whose schema is a definition, or is given in marshalled.
type objectTypes struct {
	schemas  map[reflect.Type]*jsonschema.Schema // where others have them: a reference, or all of it
	embedded map[reflect.Type]bool               // whose fields another object has as its own
}

// find adds the types of podtrack that t is made of.
func (o objectTypes) find(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		o.find(t.Elem())
	case reflect.Struct:
		if o.schemas[t] != nil || !strings.HasPrefix(t.PkgPath(), "github.com/podtrack/") {
			return
		}
		o.schemas[t] = &jsonschema.Schema{Ref: definitions + t.String()}
		for _, field := range reflect.VisibleFields(t) {
			if field.Anonymous {
				o.embedded[field.Type] = true
			}
			o.find(field.Type)
		}
	}
}

// refer returns the schema of a type, in which others are references.
func (o objectTypes) refer(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: o.schemas})
	if err != nil {
		panic(fmt.Sprintf("--json prints %s: %v", t, err))
	}
	mendPointers(s)
	return s
}

// mendPointers gives what points to an object of a definition two alternatives: ForType says that it is null, too.
func mendPointers(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Ref != "" && s.Types != nil {
		*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, {Ref: s.Ref}}}
	}
	mendPointers(s.Items)
	mendPointers(s.AdditionalProperties)
	for _, property := range s.Properties {
		mendPointers(property)
	}
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
