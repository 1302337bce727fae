package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// checkJSONKeys returns an error if data is not an object, or if an object in it has a
// key twice, in whatever case: encoding/json takes the last of them, and other readers
// the first.
func checkJSONKeys(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	first, err := d.Token()
	if err != nil {
		return err
	}
	if first != json.Delim('{') {
		return errors.New("the JSON document is not an object")
	}
	return checkObjectKeys(d, strings.ToLower)
}

// CheckDistinctKeys returns an error if an object in data, which must be JSON, has a key twice.
func CheckDistinctKeys(data []byte) error {
	return checkValueKeys(json.NewDecoder(bytes.NewReader(data)), strings.Clone)
}

// checkObjectKeys reads an object whose brace was read. Keys are the same if fold makes them so.
func checkObjectKeys(d *json.Decoder, fold func(string) string) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := fold(token.(string))
		if seen[key] {
			return fmt.Errorf("the key %q stands there twice", token)
		}
		seen[key] = true
		if err := checkValueKeys(d, fold); err != nil {
			return err
		}
	}
	_, err := d.Token() // the closing brace
	return err
}

// checkValueKeys reads a value, whatever it is.
func checkValueKeys(d *json.Decoder, fold func(string) string) error {
	token, err := d.Token()
	switch {
	case err != nil:
		return err
	case token == json.Delim('{'):
		return checkObjectKeys(d, fold)
	case token != json.Delim('['):
		return nil
	}
	for d.More() {
		if err := checkValueKeys(d, fold); err != nil {
			return err
		}
	}
	_, err = d.Token() // the closing bracket
	return err
}
