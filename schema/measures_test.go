package schema_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestMeasureNames compares the list of measures with the struct: the names are those of its JSON fields, in
// order, and each reads its own field.
func TestMeasureNames(t *testing.T) {
	names := schema.MeasureNames()
	fields := reflect.TypeFor[schema.Measures]()
	if fields.NumField() != len(names) {
		t.Fatalf("%d fields, %d names", fields.NumField(), len(names))
	}
	var m schema.Measures
	v := reflect.ValueOf(&m).Elem()
	for i, name := range names {
		if tag := fields.Field(i).Tag.Get("json"); tag != name {
			t.Errorf("field %d is %s, named %s", i, tag, name)
		}
		if x, known := m.Get(name); !known || (x == nil) != (v.Field(i).Kind() == reflect.Pointer) {
			t.Errorf("%s of nothing: %v", name, x)
		}
		fill(v.Field(i), i+1)
	}
	for i, name := range names {
		if x, _ := m.Get(name); x == nil || *x != float64(i+1) {
			t.Errorf("%s reads another field", name)
		}
	}
	if _, known := m.Get("colour"); known || slices.Contains(names, "colour") {
		t.Error("there is no measure colour")
	}
}

// fill sets a number, or a pointer to one.
func fill(field reflect.Value, n int) {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	if field.Kind() == reflect.Float64 {
		field.SetFloat(float64(n))
		return
	}
	field.SetInt(int64(n))
}
