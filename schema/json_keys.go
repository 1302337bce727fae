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
	return checkObjectKeys(d)
}

// checkObjectKeys reads an object whose brace was read.
func checkObjectKeys(d *json.Decoder) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := strings.ToLower(token.(string))
		if seen[key] {
			return fmt.Errorf("the key %q stands there twice", token)
		}
		seen[key] = true
		if err := checkValueKeys(d); err != nil {
			return err
		}
	}
	_, err := d.Token() // the closing brace
	return err
}

// checkValueKeys reads a value, whatever it is.
func checkValueKeys(d *json.Decoder) error {
	token, err := d.Token()
	switch {
	case err != nil:
		return err
	case token == json.Delim('{'):
		return checkObjectKeys(d)
	case token != json.Delim('['):
		return nil
	}
	for d.More() {
		if err := checkValueKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the closing bracket
	return err
}
