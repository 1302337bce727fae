package sweep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/schema"
)

// maxTOML is the maximum size of the file that describes a sweep, in bytes.
const maxTOML = 1 << 20

// readGridFile reads a TOML file that maps each key to a value or a list of values.
func readGridFile(ctx context.Context, path string) (s gridArgs, err error) {
	text, err := cmdline.ReadText(ctx, path, maxTOML)
	if err != nil {
		return s, schema.Hint(fmt.Errorf("read %s: %w", path, err), "%s", cmp.Or(remedies.Of(err),
			"the argument of sweep is a TOML file; flags say the same without one"))
	}
	if len(text) > maxTOML {
		err = fmt.Errorf("more than %d bytes", maxTOML)
	}
	if err == nil {
		err = checkDepth(string(text))
	}
	s.values = map[string][]string{}
	var table map[string]any
	var meta toml.MetaData
	if err == nil {
		meta, err = toml.Decode(string(text), &table)
	}
	for _, key := range meta.Keys() {
		if err != nil {
			break
		}
		var values []string
		if values, err = textsOf(table[key[0]]); err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(key, "."), err)
		}
		if err == nil && !slices.Contains(knownKeys(), schema.FieldName(key[0])) {
			return s, fmt.Errorf("read %s: %w", path, unknownKey(key[0]))
		}
		s.set(key[0], values)
	}
	if err != nil {
		err = schema.Hint(fmt.Errorf("read %s: %w", path, err),
			`write keys such as kappa = [0.5, 1, 2], seeds = "0-99", reading = "as-published" and tag = "study"`)
	}
	return s, err
}

// textsOf returns a value as text, or each value of a list.
func textsOf(v any) (texts []string, err error) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, v := range list {
		text := ""
		switch v := v.(type) {
		case string:
			text = v
		case int64:
			text = strconv.FormatInt(v, 10)
		case float64:
			text = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			return nil, fmt.Errorf("%s is no number, text or list of them", kindOf(v))
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// kindOf describes a TOML value that is not allowed here.
func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any, []map[string]any:
		return "a table"
	case []any:
		return "a list in a list"
	case time.Time:
		return "a date or a time"
	default:
		return fmt.Sprint(v)
	}
}
