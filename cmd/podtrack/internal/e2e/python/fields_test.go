package python

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var update = flag.Bool("update", false, "write the modules of the Python package that follow from declarations")

// served are the flags of the environment and of stages. podtrack/keywords.py has their types.
var served = []string{"env", "collect", "method", "select", "learner", "measure"}

// TestPythonFields: the keywords of podtrack.run in Python are the fields of a spec, with their types.
func TestPythonFields(t *testing.T) {
	compareModule(t, "fields", fieldsModule())
}

// compareModule compares a module of the Python package with the text that the program's declarations make.
func compareModule(t *testing.T, name string, want []byte) {
	t.Helper()
	path := e2e.Repository(t, "cmd/podtrack/python/podtrack/"+name+".py")
	if *update {
		e2e.Must(t, os.WriteFile(path, want, 0o666))
	}
	got, err := os.ReadFile(path)
	e2e.Must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the program declares; write it with "+
			"go test ./cmd/podtrack/internal/e2e/python -run '%s' -update", path, t.Name())
	}
}

// fieldsModule returns podtrack/fields.py.
func fieldsModule() []byte {
	var b bytes.Buffer
	b.WriteString(`"""The fields of a spec, by the names that they have as keywords. Written by a test:
go test ./cmd/podtrack/internal/e2e/python -run PythonFields -update"""

from __future__ import annotations

from typing import Literal, TypedDict

`)
	fmt.Fprintf(&b, "Method = %s\n\nLearner = %s\n\n", literal(schema.Methods.BuiltinNames()),
		literal(schema.Learners.BuiltinNames()))
	b.WriteString("\nclass Fields(TypedDict, total=False):\n" +
		`    """Fields of a spec. None stands for the default."""` + "\n")
	for _, field := range runner.SpecFields() {
		if slices.Contains(served, field.Name) {
			continue
		}
		fmt.Fprintf(&b, "\n    %s: %s | None\n", field.Name, typeOf(field.Name))
		b.WriteString(docstring(field.Usage))
	}
	return b.Bytes()
}

// typeOf returns the type of a field's values in Python.
func typeOf(name string) string {
	holds, found := schema.TypeOfField(name)
	switch {
	case name == "reading":
		return literal(schema.AllReadings())
	case name == "max_option_steps":
		return `int | Literal["auto"]`
	case !found:
		return typeOfParameter(name)
	case holds.Kind == schema.Natural, holds.Kind == schema.Integer:
		return "int"
	case holds.Kind == schema.Number:
		return "float"
	case holds.Words != nil && holds.Normal == nil:
		return literal(holds.Words())
	case name == "leave_out":
		return "int | str"
	}
	return "str"
}

// typeOfParameter returns the type of a parameter of environments.
func typeOfParameter(name string) string {
	for _, env := range envs.RegisteredEnvs() {
		for _, p := range env.Parameters {
			if p.Name == name {
				return "int"
			}
		}
		for _, p := range env.TextParameters {
			if p.Name == name && len(p.Values) > 0 {
				return literal(p.Values)
			}
		}
	}
	return "str"
}

func literal(words []string) string {
	return "Literal" + strings.ReplaceAll(fmt.Sprintf("%q", words), `" "`, `", "`)
}

// docstring returns a usage as a docstring within a class, in lines of up to 120 bytes.
func docstring(usage string) string {
	text, line := "", `    """`+strings.ReplaceAll(usage, "--", "")+`."""`
	for len(line) > 120 {
		end := strings.LastIndexByte(line[:121], ' ')
		text, line = text+line[:end]+"\n", "    "+line[end+1:]
	}
	return text + line + "\n"
}
