package cmdline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/podtrack/podtrack/schema"
)

// inUTF16 returns text in UTF-16, with a byte order mark, the low byte of each unit first if little.
func inUTF16(text string, little bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		if little {
			out = append(out, byte(unit), byte(unit>>8))
		} else {
			out = append(out, byte(unit>>8), byte(unit))
		}
	}
	return string(out)
}

// TestReadText: a byte order mark of UTF-8 is no part of the text; other encodings are named, with what to do.
func TestReadText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file")
	read := func(text string, limit int64) (string, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadText(t.Context(), path, limit)
		return string(got), err
	}
	for text, want := range map[string]string{
		"": "", "a": "a", "\x00": "\x00", "{}\n": "{}\n", "\ufeff{}": "{}", "\ufeff": "", "日本\r\n": "日本\r\n",
		"a\ufeffb": "a\ufeffb", "\x00\x00\x01": "\x00\x00\x01",
	} {
		if got, err := read(text, 100); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		inUTF16("{}", true): "text in UTF-16,", inUTF16("{}", false): "text in UTF-16,",
		inUTF16("", true): "text in UTF-16,", inUTF16("{}", true)[2:]: "text in UTF-16LE,",
		inUTF16("{}", false)[2:]: "text in UTF-16BE,", "\xff\xfe\x00\x00{\x00\x00\x00": "text in UTF-32,",
		"\x00\x00\xfe\xff":         "text in UTF-32,",
		"a = 1\nb = \"caf\xe9\"\n": "line 2 is not text in UTF-8", "\x80": "line 1 is ",
	} {
		_, err := read(text, 100)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(schema.Remedy(err), "UTF-8") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if got, err := read("aé", 1); got != "a\xc3" || err != nil { // the limit is within a character
		t.Errorf("%q, %v", got, err)
	}
}
