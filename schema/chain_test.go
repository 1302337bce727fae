package schema_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// TestLinkEncoding: links are the digests of the encoding, with lists of any length.
func TestLinkEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 5, 23, 24, 255, 256, 1<<16 - 1, 1 << 16}).Draw(t, "length")
		entries := make([]schema.Entry, n)
		for i := range entries {
			entries[i].Kind = schema.Kinds[i%len(schema.Kinds)]
		}
		if n > 0 {
			e := &entries[rapid.IntRange(0, n-1).Draw(t, "place")]
			e.Kind = schema.Kind(rapid.String().Draw(t, "kind"))
			e.Name = schema.Name([]byte(e.Kind))
		}
		k := rapid.IntRange(0, 1<<20).Draw(t, "k")
		link, err := schema.Link(k, schema.Digest{1}, entries)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := wire.Marshal([]any{k, schema.Digest{1}, entries})
		if err != nil {
			t.Fatal(err)
		}
		if want := schema.Name(append([]byte("podtrack/iteration/1"), plain...)); link != want {
			t.Fatalf("link %s, want %s", link, want)
		}
	})
}
