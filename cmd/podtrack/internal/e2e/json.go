package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
)

// exitForged is the exit code of a podtrack of the tests whose JSON is not what its schema says.
const exitForged = 70

// mainOfTests executes the command line as podtrack does, and validates what that prints with --json. It returns
// the exit code.
func mainOfTests() int {
	if !slices.Contains(os.Args, "--json") {
		return command.Main(os.Stdout)
	}
	var printed bytes.Buffer
	code := command.Main(io.MultiWriter(os.Stdout, &printed))
	if err := ValidateJSON(os.Args, printed.Bytes()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: panic: %v\n", strings.Join(os.Args, " "), err)
		return exitForged
	}
	return code
}

// ValidateJSON returns an error unless each JSON document that podtrack printed is what the schema of the command in
// args says. Objects must have all its fields, and no others.
func ValidateJSON(args []string, printed []byte) error {
	if len(printed) == 0 {
		return nil
	}
	args, err := cmdline.ReorderArgs(command.NewApp(io.Discard, io.Discard), args)
	if err != nil {
		return err
	}
	answer := command.AnswerSchema(args[1])
	if len(args) > 2 {
		if sub := command.AnswerSchema(args[1] + " " + args[2]); sub != nil {
			answer = sub
		}
	}
	if answer == nil {
		return errors.New("the schema has no such command")
	}
	schema, err := answer.Resolve(nil)
	if err != nil {
		return err
	}
	for documents := json.NewDecoder(bytes.NewReader(printed)); ; {
		var document any
		if err := documents.Decode(&document); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := schema.Validate(document); err != nil {
			return errors.Join(append([]error{err}, refusals(answer, document)...)...)
		}
	}
}

// refusals returns why a document is none of the types that a command prints.
func refusals(answer *jsonschema.Schema, document any) (errs []error) {
	for _, one := range answer.AnyOf {
		alone := answer.CloneSchemas()
		alone.AnyOf = []*jsonschema.Schema{one.CloneSchemas()}
		schema, err := alone.Resolve(nil)
		if err == nil {
			err = schema.Validate(document)
		}
		errs = append(errs, err)
	}
	return errs
}
