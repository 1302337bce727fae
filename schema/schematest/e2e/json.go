package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// AnswerSchema returns the schema of the JSON that a command line prints.
type AnswerSchema func(args []string) (*jsonschema.Schema, error)

// exitForged is the exit code of a podtrack of the tests whose JSON is not what its schema says.
const exitForged = 70

// validated executes a command line, and validates what that prints with --json. It returns the exit code.
func (a AnswerSchema) validated(args []string, stdout, stderr io.Writer, execute func(stdout io.Writer) int) int {
	if !slices.Contains(args, "--json") {
		return execute(stdout)
	}
	var printed bytes.Buffer
	code := execute(io.MultiWriter(stdout, &printed))
	if err := a.Validate(args, &printed); err != nil {
		fmt.Fprintf(stderr, "%s: panic: %v\n", strings.Join(args, " "), err)
		return exitForged
	}
	return code
}

// Validate returns an error unless each JSON document that a command line printed is of one of the types in its schema.
// Objects must have all fields, and no others.
func (a AnswerSchema) Validate(args []string, printed *bytes.Buffer) error {
	if printed.Len() == 0 {
		return nil
	}
	answer, err := a(args)
	if err != nil {
		return err
	}
	var types []*jsonschema.Resolved
	for _, one := range answer.AnyOf {
		alone := answer.CloneSchemas()
		alone.AnyOf = []*jsonschema.Schema{one.CloneSchemas()}
		resolved, err := alone.Resolve(nil)
		if err != nil {
			return err
		}
		types = append(types, resolved)
	}
	for documents := json.NewDecoder(printed); ; {
		var document any
		if err := documents.Decode(&document); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		refusals := []error{errors.New("the schema has no such type")}
		for _, one := range types {
			refusals = append(refusals, one.Validate(document))
		}
		if !slices.Contains(refusals, nil) {
			return errors.Join(refusals...)
		}
	}
}
