package schema_test

import (
	"encoding/hex"
	"strings"
	"testing"
)

// assemble makes bytes of a listing: words in hexadecimal, and "text" for a
// CBOR text string of under 24 bytes with its head. What follows a # is a
// comment.
func assemble(t testing.TB, listing string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(listing) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			if text, ok := strings.CutPrefix(word, `"`); ok {
				text = strings.TrimSuffix(text, `"`)
				out = append(append(out, 0x60+byte(len(text))), text...)
				continue
			}
			b, err := hex.DecodeString(word)
			if err != nil {
				t.Fatalf("listing: %q: %v", word, err)
			}
			out = append(out, b...)
		}
	}
	return out
}
