package cmdline

import (
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// A jsonStream writes what a [json.Encoder] with an indent of two spaces writes, but keeps the text of one field or
// element of a list in memory, not the whole document.
type jsonStream struct {
	w   io.Writer
	err error
}

func (s *jsonStream) write(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

// value writes a value, whose lines after the first begin with indent.
func (s *jsonStream) value(v reflect.Value, indent string) {
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() && !encodesItself(v.Type()) {
		v = v.Elem()
	}
	inner, separator := indent+"  ", "\n"
	switch {
	case isPlain(v.Type()):
		s.write("{")
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				s.write(separator + inner + strconv.Quote(field.Tag.Get("json")) + ": ")
				s.value(v.Field(i), inner)
				separator = ",\n"
			}
		}
		s.write("\n" + indent + "}")
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct && !encodesItself(v.Type()):
		s.write("[")
		for i := range v.Len() {
			s.write(separator + inner)
			s.value(v.Index(i), inner)
			separator = ",\n"
		}
		s.write("\n" + indent + "]")
	default:
		s.whole(v, indent)
	}
}

// whole writes a value that is encoded at once.
func (s *jsonStream) whole(v reflect.Value, indent string) {
	if v.CanAddr() {
		v = v.Addr() // as the encoder takes it, for methods of pointers
	}
	text, err := json.MarshalIndent(v.Interface(), indent, "  ")
	if s.err == nil {
		s.err = err
	}
	s.write(string(text))
}

// isPlain reports whether the fields of a type can be written one by one: a struct of which each exported field has a
// name and no option, and some field is exported.
func isPlain(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || encodesItself(t) {
		return false
	}
	fields := 0
	for i := range t.NumField() {
		field := t.Field(i)
		name := field.Tag.Get("json")
		if field.Anonymous || field.IsExported() && (name == "" || name == "-" || strings.Contains(name, ",")) {
			return false
		}
		if field.IsExported() {
			fields++
		}
	}
	return fields > 0
}

// encodesItself reports whether a type or a pointer to it has a method that encodes it.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
