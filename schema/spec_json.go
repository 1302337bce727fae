package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/schema/wire"
)

// MaxSpecJSON is the largest size of a spec as JSON, in bytes.
const MaxSpecJSON = 1 << 20

// ReadJSON reads a spec as JSON over s. A field that the document omits keeps its value; but if the document
// names another environment, the parameters of the former are dropped. Unknown fields are refused with
// [ErrSpec]. After an error s is unchanged.
func (s *Spec) ReadJSON(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, MaxSpecJSON+1))
	if err != nil {
		return err
	}
	changed := *s
	changed.Env, changed.Stages = s.Env.Clone(), s.Stages.clone() // decoding writes into the maps
	if err := changed.decodeJSON(data); err != nil || len(data) > MaxSpecJSON {
		return Hint(fmt.Errorf("%w: %w", ErrSpec, cmp.Or(err, errTooLong)), AdvicePrintSpec)
	}
	*s = changed
	return nil
}

var errTooLong = errors.New("more than 1 MiB of JSON")

func (s *Spec) decodeJSON(data []byte) error {
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return errors.New("the document is empty")
	case text[0] != '{':
		return errors.New("the JSON document is not an object")
	}
	var other struct{ Env struct{ Name string } }
	if json.Unmarshal(data, &other) == nil && other.Env.Name != "" && other.Env.Name != s.Env.Name {
		s.Env = Env{}
	}
	err := wire.DecodeJSON(data, s)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON document ends before it is complete")
	}
	return err
}
