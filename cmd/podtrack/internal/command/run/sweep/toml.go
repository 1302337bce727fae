package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/BurntSushi/toml"
)

// maxTOML is the maximum size of the file that describes a sweep, in bytes.
const maxTOML = 1 << 20

// readGridFile reads a TOML file that maps each key to a value or a list of values.
func readGridFile(ctx context.Context, path string) (s gridArgs, err error) {
	text, err := cmdline.ReadText(ctx, path, maxTOML)
	if err != nil {
		return s, schema.Hint(fmt.Errorf("read %s: %w", path, err), "%s", cmp.Or(hints.Of(err),
			"the argument of sweep is a TOML file; flags say the same without one"))
	}
	return parseGridFile(text, path)
}

// parseGridFile parses the text of such a file.
func parseGridFile(text []byte, path string) (s gridArgs, err error) {
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
	if err == nil && (table["variant"] != nil || table["setting"] != nil) {
		s.study, err = readStudy(table, path)
	}
	for _, key := range meta.Keys() {
		if err != nil {
			break
		}
		if s.study != nil && slices.Contains(studyKeys, key[0]) {
			continue
		}
		if !slices.Contains(knownKeys(), key[0]) {
			return s, fmt.Errorf("read %s: %w", path, unknownKey(key[0], studyKeys...))
		}
		var values []string
		if values, err = textsOf(table[key[0]]); err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(key, "."), err)
		}
		s.set(key[0], values)
		if s.study != nil && len(values) > 1 && !slices.Contains(listKeys, key[0]) {
			err = schema.Hint(fmt.Errorf("%d values of %s in a study", len(values), key[0]), "make a variant for each")
		}
	}
	if err == nil && s.study != nil {
		s.addStudy()
	}
	var syntax toml.ParseError
	switch {
	case errors.As(err, &syntax):
		err = schema.Hint(fmt.Errorf("read %s: %w", path, err), "%s",
			`write keys such as kappa = [0.5, 1, 2], label = "POD" and in."four rooms" = { kappa = 2 }; each setting begins `+
				`with [[setting]], each variant with [[variant]]`)
	case err != nil:
		err = schema.Hint(fmt.Errorf("read %s: %w", path, err), "%s", cmp.Or(hints.Of(err),
			`write keys such as kappa = [0.5, 1, 2], seeds = "0-99", reading = "as-published" and tag = "study"`))
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
		kind := "" // of a value that is not allowed here
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case int64:
			texts = append(texts, strconv.FormatInt(v, 10))
		case float64:
			texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
		case map[string]any, []map[string]any:
			kind = "a table"
		case []any:
			kind = "a list in a list"
		case time.Time:
			kind = "a date or a time"
		default:
			kind = fmt.Sprint(v)
		}
		if kind != "" {
			return nil, fmt.Errorf("%s is no number, text or list of them", kind)
		}
	}
	return texts, nil
}

// maxDepth is the maximum nesting depth of tables and lists in a TOML file. A sweep needs only
// lists.
const maxDepth = 16

// silent matches strings and comments. Nothing is nested by what is in them.
var silent = textfmt.Pattern(`"""(?:[^\\]|\\(?s:.))*?"{3,5}|'''(?s:.)*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*`)

// checkDepth returns an error if dotted keys or brackets are nested too deeply, since the decoder's memory grows with
// the square of the depth. It leaves invalid TOML to the decoder.
func checkDepth(text string) error {
	dots, brackets := 0, 0
	for _, c := range silent().ReplaceAllString(text, "") {
		switch c {
		case '.':
			dots++
		case '[', '{':
			dots, brackets = 0, brackets+1
		case ']', '}':
			dots, brackets = 0, brackets-1
		case '\n', ',', '=':
			dots = 0
		}
		if max(dots, brackets) > maxDepth {
			return fmt.Errorf("tables or lists in each other, more than %d deep", maxDepth)
		}
	}
	return nil
}
