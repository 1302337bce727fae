package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestMethodFields reads the fields of methods, which are absent from the spec's bytes at their
// defaults, and need store format 8 elsewhere.
func TestMethodFields(t *testing.T) {
	for name, tt := range map[string]struct {
		fields   map[string]string
		valid    bool
		extended bool
	}{
		"defaults":            {map[string]string{"method": "successor", "state_set": "all", "psi_gamma": "0"}, true, false},
		"visited":             {map[string]string{"method": "laplacian", "state_set": "visited"}, true, true},
		"visited, pod":        {map[string]string{"state_set": "visited"}, false, false},
		"visited, features":   {map[string]string{"method": "successor-features", "state_set": "visited"}, false, false},
		"other states":        {map[string]string{"method": "laplacian", "state_set": "seen"}, false, false},
		"discount":            {map[string]string{"method": "successor", "psi_gamma": "0.5"}, true, true},
		"the same discount":   {map[string]string{"method": "successor", "psi_gamma": "0.99"}, true, false},
		"discount of none":    {map[string]string{"method": "laplacian", "psi_gamma": "0.5"}, false, false},
		"discount 1":          {map[string]string{"method": "successor", "psi_gamma": "1"}, false, false},
		"discount below 0":    {map[string]string{"method": "successor", "psi_gamma": "-0.5"}, false, false},
		"discount NaN":        {map[string]string{"method": "successor", "psi_gamma": "NaN"}, false, false},
		"features":            {map[string]string{"method": "successor-features", "psi_gamma": "0.5"}, true, true},
		"covering":            {map[string]string{"method": "covering", "select": "top=1"}, true, true},
		"covering, more":      {map[string]string{"method": "covering", "select": "top=2"}, false, false},
		"covering, threshold": {map[string]string{"method": "covering"}, false, false},
		"covering, rows": {map[string]string{"method": "covering", "select": "top=1", "basis": "rows-of-v"}, false,
			false},
		"counts": {map[string]string{"method": "counts"}, true, true},
	} {
		s := paper()
		var err error
		for field, value := range tt.fields {
			err = errors.Join(err, s.Set(field, value))
		}
		if err = errors.Join(err, s.Validate()); errors.Is(err, schema.ErrSpec) == tt.valid {
			t.Errorf("%s: %v", name, err)
		}
		if !tt.valid {
			continue
		}
		if s.IsExtended() != tt.extended {
			t.Errorf("%s: extended is %v", name, s.IsExtended())
		}
		for field, value := range tt.fields {
			if got, ok := s.Get(field); !ok || got != value && !(name == "the same discount" && field == "psi_gamma") {
				t.Errorf("%s: %s is %q", name, field, got)
			}
		}
	}
}
