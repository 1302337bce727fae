package e2e

import (
	"bytes"
	"encoding/json"
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
	types, err := answer.Resolve(nil)
	if err != nil {
		return err
	}
	for documents := json.NewDecoder(printed); ; {
		var document any
		if err := documents.Decode(&document); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := types.Validate(document); err != nil {
			return err
		}
	}
}
