package python

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// A reportedClass is a class of podtrack/reported.py: a type of the JSON that commands print.
type reportedClass struct {
	name, of, doc string
	only, without []string          // fields; with only, every one may be None
	renamed       map[string]string // the names of fields in Python
	types         map[string]string // in place of those of the schema
}

// reportedClasses are in the order of the module: a class stands below those that its fields are of.
var reportedClasses = []reportedClass{
	{name: "RunInfo", of: "report.Run", doc: "A run as ``podtrack ls`` lists it.",
		without: []string{"measures", "external_measures", "exploration", "findings", "columns", "levels", "proves"}},
	{name: "Remedy", of: "warnings.Remedy",
		doc: "A change to try: a value of a field of the spec, or if field is \"\" a " +
			"change of the environment's features."},
	{name: "FindingReport", of: "warnings.Warning", doc: "What podtrack found about a run: see Finding."},
	{name: "StageLevel", of: "stages.Level",
		doc: "How much a head proves of a stage: recomputed, verified or claimed " +
			"(podtrack help stages). level is without, and with_programs with, the program that needs names: env, collect, " +
			"method, select, learner or measure."},
	{name: "RecordedMeasures", of: "report.Iteration", only: schema.MeasureNames(),
		doc: "What iterations record of how they went; None where it is not defined."},
	{name: "Record", of: "report.Record",
		doc: "A record of an iteration: bytes in its canonical form, and as it is stored."},
	{name: "IterationInfo", of: "report.Iteration", doc: "An iteration as ``podtrack show`` has it.",
		types: map[string]string{"sigma": "list[float] | None"}},
	{name: "OptionInfo", of: "report.Option",
		doc: "An option as ``podtrack options`` lists it: its purpose (iteration k, " +
			"direction j, sign), its certificate, and what it was used for. Lengths are in steps.",
		renamed: map[string]string{"cut": "truncated", "gained": "new_states", "lambda": "eigenvalue"}},
	{name: "Purpose", of: "why.Purpose",
		doc: "An eigenpurpose, and how well the data determine it. directions_from is " +
			"what else than podtrack made the direction, selected_by what else kept it; \"\" for podtrack."},
	{name: "Dataset", of: "why.Dataset", doc: "The D that was factored."},
	{name: "Evidence", of: "why.Evidence",
		doc:     "A distinct row of D with its share of the purpose's evidence, from 0 to 1.",
		renamed: map[string]string{"from": "from_state", "to": "to_state"}},
	{name: "Ablation", of: "why.Ablation",
		doc: "The nearest purpose when D is factored without a source's steps."},
	{name: "Source", of: "why.Source", doc: "An action or an option, and its share of the evidence."},
	{name: "Ancestor", of: "why.Ancestor", doc: "An earlier option whose steps are behind the purpose."},
	{name: "Proof", of: "why.Proof", doc: "A link of the chain of proof: what was verified, and how."},
	{name: "WhyReport", of: "why.Report", doc: "Where an option comes from: see Why."},
	{name: "Divergence", of: "report.Divergence", doc: "The first stage whose records differ."},
	{name: "FieldDifference", of: "report.SpecDifference", doc: "A field of the spec in which two runs differ."},
	{name: "Pair", of: "diff.Pair", doc: "Two matched options, or purposes, of two runs."},
	{name: "Chance", of: "diff.ChanceLevel",
		doc: "The similarity of random purposes; None if it would take too long to " +
			"compute."},
	{name: "IterationDiff", of: "diff.Comparison", doc: "What an iteration of two runs shares."},
	{name: "StageVerdict", of: "replay.StageResult",
		doc: "What replaying a stage found, such as ``identical``, and its " +
			"level: recomputed, verified or claimed, \"\" if it has none."},
	{name: "IterationReplay", of: "replay.IterationResult", doc: "What replaying an iteration found."},
	{name: "ReplayReport", of: "inspect.verificationLine", doc: "What replaying a run found: see Replay."},
}

// TestPythonReported: the classes of what podtrack reports are the types that the JSON schema has.
func TestPythonReported(t *testing.T) {
	compareModule(t, "reported", reportedModule(t))
}

// reportedModule returns podtrack/reported.py.
func reportedModule(t *testing.T) []byte {
	types := map[string]*jsonschema.Schema{}
	for _, name := range []string{"ls", "show", "options", "why", "diff", "replay"} {
		answer, err := command.AnswerSchema([]string{"podtrack", name})
		e2e.Must(t, err)
		maps.Copy(types, answer.Defs)
	}
	types["diff.ChanceLevel"] = types["diff.Comparison"].Properties["chance"]
	var b bytes.Buffer
	b.WriteString(`"""The types of podtrack's reports, as its JSON schema has them. Written by a test:
go test ./cmd/podtrack/internal/e2e/python -run PythonReported -update"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
`)
	for _, c := range reportedClasses {
		of := types[c.of]
		if of == nil {
			t.Fatalf("the schema has no %s", c.of)
		}
		fmt.Fprintf(&b, "\n\n@dataclass(frozen=True)\nclass %s:\n%s", c.name, docstring(strings.TrimSuffix(c.doc, ".")))
		var optional string
		names := of.PropertyOrder
		if len(names) == 0 { // the schema is given by hand
			names = of.Required
		}
		for _, name := range names {
			if slices.Contains(c.without, name) || c.only != nil && !slices.Contains(c.only, name) {
				continue
			}
			kind, none := pythonType(of.Properties[name])
			if given := c.types[name]; given != "" {
				kind = given
			}
			line, metadata := name, ""
			if renamed := c.renamed[name]; renamed != "" {
				line, metadata = renamed, fmt.Sprintf("metadata={\"json\": %q}", name)
			}
			switch {
			case c.only != nil:
				optional += fmt.Sprintf("    %s: %s | None = None\n", line, strings.TrimSuffix(kind, " | None"))
			case slices.Contains(of.Required, name) && metadata == "":
				fmt.Fprintf(&b, "    %s: %s\n", line, kind)
			case slices.Contains(of.Required, name):
				fmt.Fprintf(&b, "    %s: %s = field(%s)\n", line, kind, metadata)
			case metadata != "":
				optional += fmt.Sprintf("    %s: %s = field(default=%s, %s)\n", line, kind, none, metadata)
			default:
				optional += fmt.Sprintf("    %s: %s = %s\n", line, kind, none)
			}
		}
		b.WriteString(optional)
	}
	return b.Bytes()
}

// pythonType returns the type of a schema in Python, and what a member that is absent is.
func pythonType(s *jsonschema.Schema) (kind, none string) {
	for _, other := range s.AnyOf {
		if other.Type != "null" {
			kind, _ = pythonType(other)
			return kind + " | None", "None"
		}
	}
	of, null := s.Type, slices.Contains(s.Types, "null")
	for _, other := range s.Types {
		if other != "null" {
			of = other
		}
	}
	switch of {
	case "array": // a list may be null, which is empty
		kind, _ = pythonType(s.Items)
		return "list[" + kind + "]", "field(default_factory=list)"
	case "integer":
		kind, none = "int", "0"
	case "number":
		kind, none = "float", "0.0"
	case "string":
		kind, none = "str", `""`
	case "boolean":
		kind, none = "bool", "False"
	case "object":
		if value := s.AdditionalProperties; value != nil && (value.Type != "" || value.Types != nil) {
			kind, _ = pythonType(value)
			return "dict[str, " + kind + "]", "field(default_factory=dict)"
		}
		fallthrough
	default:
		at := slices.IndexFunc(reportedClasses, func(c reportedClass) bool {
			return c.only == nil && strings.HasSuffix(s.Ref, "/"+c.of) ||
				c.of == "diff.ChanceLevel" && s.Properties["draws"] != nil
		})
		switch {
		case at >= 0:
			kind = reportedClasses[at].name
		case s.Ref != "" || of == "object":
			kind = "dict[str, Any]"
		default:
			return "Any", "None"
		}
		none = "field(default_factory=dict)"
	}
	if null {
		return kind + " | None", "None"
	}
	return kind, none
}
