package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestMethodFields reads the fields of methods.
func TestMethodFields(t *testing.T) {
	for name, tt := range map[string]struct {
		fields map[string]string
		valid  bool
	}{
		"defaults":            {map[string]string{"method": "successor", "state_set": "all", "psi_gamma": "0"}, true},
		"visited":             {map[string]string{"method": "laplacian", "state_set": "visited"}, true},
		"visited, pod":        {map[string]string{"state_set": "visited"}, false},
		"visited, features":   {map[string]string{"method": "successor-features", "state_set": "visited"}, false},
		"other states":        {map[string]string{"method": "laplacian", "state_set": "seen"}, false},
		"discount":            {map[string]string{"method": "successor", "psi_gamma": "0.5"}, true},
		"the same discount":   {map[string]string{"method": "successor", "psi_gamma": "0.99"}, true},
		"discount of none":    {map[string]string{"method": "laplacian", "psi_gamma": "0.5"}, false},
		"discount 1":          {map[string]string{"method": "successor", "psi_gamma": "1"}, false},
		"discount below 0":    {map[string]string{"method": "successor", "psi_gamma": "-0.5"}, false},
		"discount NaN":        {map[string]string{"method": "successor", "psi_gamma": "NaN"}, false},
		"features":            {map[string]string{"method": "successor-features", "psi_gamma": "0.5"}, true},
		"covering":            {map[string]string{"method": "covering", "select": "top=1"}, true},
		"covering, more":      {map[string]string{"method": "covering", "select": "top=2"}, false},
		"covering, threshold": {map[string]string{"method": "covering"}, false},
		"covering, rows":      {map[string]string{"method": "covering", "select": "top=1", "basis": "rows-of-v"}, false},
		"counts":              {map[string]string{"method": "counts"}, true},
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
		for field, value := range tt.fields {
			if got, ok := s.Get(field); !ok || got != value && !(name == "the same discount" && field == "psi_gamma") {
				t.Errorf("%s: %s is %q", name, field, got)
			}
		}
	}
}
