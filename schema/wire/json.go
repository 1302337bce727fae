package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DecodeJSON decodes a JSON document from another program or a person into v. It is stricter than encoding/json: it
// rejects unknown keys, including those that differ from a field's name only in case; duplicate keys, of which some
// programs use the first and others the last; invalid UTF-8; unpaired surrogates; and data after the document.
func DecodeJSON(data []byte, v any) error {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if err := json.UnmarshalDecode(d, v, json.RejectUnknownMembers(true)); err != nil {
		return explainJSON(err)
	}
	if len(bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")) > 0 {
		return ErrTrailing
	}
	return nil
}

// ErrTrailing is the error for data after a JSON document.
var ErrTrailing = errors.New("data after the JSON document")

// explainJSON returns the error of a decoder with the key that it is about.
func explainJSON(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("duplicate key %q", e.JSONPointer.LastToken())
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok:
	case errors.Is(err, json.ErrUnknownName):
		return unknownKey(e.JSONPointer.LastToken(), e.GoType)
	case e.JSONKind == jsontext.KindNumber && reflect.Int <= e.GoType.Kind() && e.GoType.Kind() <= reflect.Uint64:
		return fmt.Errorf("%s is number %s, but must be an integer without an exponent",
			strings.ReplaceAll(strings.TrimPrefix(string(e.JSONPointer), "/"), "/", "."), e.JSONValue)
	}
	return err
}

// unknownKey returns the error of a key that no field of a struct has.
func unknownKey(key string, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name = cmp.Or(name, field.Name); strings.EqualFold(name, key) {
			return fmt.Errorf("unknown key %q, expected %q", key, name)
		}
	}
	return fmt.Errorf("unknown field %q", key)
}
