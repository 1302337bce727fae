package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// DecodeJSON decodes a JSON document from another program or a person into v. It is stricter than
// encoding/json: it rejects unknown keys, including those that differ from a field's name only in case;
// duplicate keys, of which some programs use the first and others the last; invalid UTF-8; unpaired
// surrogates; and data after the document.
func DecodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], jsonSpace); len(rest) > 0 {
		return ErrTrailing
	}
	if !utf8.Valid(data) {
		return errors.New("invalid UTF-8")
	}
	s := keyScanner{rest: data}
	if err := s.value(keysOf(reflect.TypeOf(v))); err != nil {
		return err
	}
	if s.unpaired {
		return errors.New(`unpaired surrogate in a string, such as \ud800`)
	}
	return nil
}

// ErrTrailing is the error for data after a JSON document.
var ErrTrailing = errors.New("data after the JSON document")

// jsonSpace has the white space characters of JSON.
const jsonSpace = " \t\r\n"

// jsonKeys are the keys that are allowed in the JSON encoding of a Go type. A nil *jsonKeys allows all keys.
type jsonKeys struct {
	fields map[string]*jsonKeys // the keys of a struct, and those allowed in their values; nil for other types
	elem   *jsonKeys            // the keys in the elements of a slice, an array or a map
}

var knownKeys sync.Map // reflect.Type → *jsonKeys

// keysOf returns the keys of a type. It returns nil for a type that decodes itself.
func keysOf(t reflect.Type) *jsonKeys {
	if t.Kind() == reflect.Pointer {
		return keysOf(t.Elem())
	}
	if known, found := knownKeys.Load(t); found {
		return known.(*jsonKeys)
	}
	keys := &jsonKeys{}
	switch t.Kind() {
	case reflect.Struct:
		keys.fields = map[string]*jsonKeys{}
		keys.addFields(t)
	case reflect.Slice, reflect.Array, reflect.Map:
		keys.elem = keysOf(t.Elem())
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		keys = nil
	}
	knownKeys.Store(t, keys)
	return keys
}

// addFields adds the fields of a struct and of its embedded structs, by their JSON names.
func (j *jsonKeys) addFields(t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Pointer:
			j.addFields(field.Type.Elem())
		case name == "" && field.Anonymous:
			j.addFields(field.Type)
		case name == "":
			j.fields[field.Name] = keysOf(field.Type)
		default:
			j.fields[name] = keysOf(field.Type)
		}
	}
}

// check returns an error if a key differs from a field's name only in case. The decoder accepts such keys,
// and rejects all other unknown ones.
func (j *jsonKeys) check(key []byte) error {
	if j == nil || j.fields == nil {
		return nil
	}
	if _, found := j.fields[string(key)]; found {
		return nil
	}
	for name := range j.fields {
		if strings.EqualFold(name, string(key)) {
			return fmt.Errorf("unknown key %q, expected %q", key, name)
		}
	}
	return nil
}

// under returns the keys allowed in the value of a key, or in the elements of an array if key is nil.
func (j *jsonKeys) under(key []byte) *jsonKeys {
	switch {
	case j == nil:
		return nil
	case j.fields != nil:
		return j.fields[string(key)]
	}
	return j.elem
}

// A keyScanner checks the keys of a valid JSON document without decoding its values.
type keyScanner struct {
	rest     []byte // what has not been read
	unpaired bool   // some string has an unpaired surrogate, which decoders replace by U+FFFD
}

// next skips white space and returns the next byte without consuming it.
func (k *keyScanner) next() byte {
	k.rest = bytes.TrimLeft(k.rest, jsonSpace)
	return k.rest[0]
}

// skip consumes the next byte.
func (k *keyScanner) skip() { k.rest = k.rest[1:] }

// value consumes a value and checks the keys in it.
func (k *keyScanner) value(keys *jsonKeys) error {
	switch k.next() {
	case '{':
		return k.object(keys)
	case '[':
		return k.array(keys.under(nil))
	case '"':
		k.text()
	default:
		k.skip() // a number, true, false or null
		for len(k.rest) > 0 && k.rest[0] != ',' && k.rest[0] != ']' && k.rest[0] != '}' && k.rest[0] > ' ' {
			k.skip()
		}
	}
	return nil
}

// object consumes an object and checks its keys.
func (k *keyScanner) object(keys *jsonKeys) error {
	seen := keySet{}
	for k.skip(); k.next() != '}'; {
		if k.rest[0] == ',' {
			k.skip()
			k.next()
		}
		key := k.text()
		if !seen.add(key) {
			return fmt.Errorf("duplicate key %q", key)
		}
		if err := keys.check(key); err != nil {
			return err
		}
		k.next() // a colon
		k.skip()
		if err := k.value(keys.under(key)); err != nil {
			return err
		}
	}
	k.skip()
	return nil
}

// A keySet is the set of keys of an object. It holds the first 16 keys without a map, because an external environment
// may send a small object for each step.
type keySet struct {
	few  [16][]byte
	n    int             // number of keys in few
	many map[string]bool // further keys
}

// add adds a key and reports whether it is new.
func (k *keySet) add(key []byte) bool {
	isKey := func(known []byte) bool { return bytes.Equal(known, key) }
	if slices.ContainsFunc(k.few[:k.n], isKey) || k.many[string(key)] {
		return false
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
		k.n++
		return true
	}
	if k.many == nil {
		k.many = map[string]bool{}
	}
	k.many[string(key)] = true
	return true
}

// array consumes an array, in whose elements the keys are allowed.
func (k *keyScanner) array(keys *jsonKeys) error {
	for k.skip(); k.next() != ']'; {
		if k.rest[0] == ',' {
			k.skip()
		}
		if err := k.value(keys); err != nil {
			return err
		}
	}
	k.skip()
	return nil
}

// replacement is U+FFFD, by which the decoder replaces an unpaired surrogate.
const replacement = string(utf8.RuneError)

// text consumes a string and returns it without its quotes and escapes.
func (k *keyScanner) text() []byte {
	end := 1
	for k.rest[end] != '"' {
		if k.rest[end] == '\\' {
			end++
		}
		end++
	}
	quoted := k.rest[:end+1]
	k.rest = k.rest[end+1:]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1:end]
	}
	var plain string
	_ = json.Unmarshal(quoted, &plain) // the document is valid
	written := bytes.Count(quoted, []byte(replacement)) + bytes.Count(bytes.ToLower(quoted), []byte(`\ufffd`))
	if strings.Count(plain, replacement) > written {
		k.unpaired = true
	}
	return []byte(plain)
}
