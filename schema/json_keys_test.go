package schema

import (
	"strings"
	"testing"
)

func TestSpecJSONKeys(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                                  "not an object",
		`[]`:                                    "not an object",
		`{"seed":1,"seed":2}`:                   `"seed" stands there twice`,
		`{"seed":1,"Seed":2}`:                   `"Seed" stands there twice`,
		`{"env":{"name":"ring","name":"taxi"}}`: `"name" stands there twice`,
		`{"seed":1`:                             "the JSON document ends before it is complete",
		`{"seed":1}`:                            "",
	} {
		var spec Spec
		err := spec.ReadJSON(strings.NewReader(text))
		if want == "" && err != nil && strings.Contains(err.Error(), "twice") || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
