package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// drawTable draws bytes many of which nearly repeat earlier ones.
func drawTable(t *rapid.T) []byte {
	record := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "head")
	for range rapid.IntRange(0, 12).Draw(t, "stretches") {
		words := (len(record) - len(record)%8) / 8
		if words == 0 || rapid.Bool().Draw(t, "new") {
			record = append(record, rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")...)
			continue
		}
		at := 8 * rapid.IntRange(0, words-1).Draw(t, "from")
		for range rapid.IntRange(1, 30).Draw(t, "words") {
			if at+8 > len(record) {
				break
			}
			x := binary.LittleEndian.Uint64(record[at:])
			x += rapid.SampledFrom([]uint64{0, 0, 0, 1, 1<<64 - 1, 1 << 15, 1 << 20}).Draw(t, "change")
			record = binary.LittleEndian.AppendUint64(record, x)
			at += 8
		}
	}
	return record
}

// decodeDelta decodes into buffers that were used before.
func decodeDelta(size int, noise, terse []byte) ([]byte, error) {
	record := bytes.Repeat([]byte{0xa5}, size)
	return record, deltaDecode(record, noise, terse)
}

// TestDelta: decoding inverts encoding, in buffers that were used before.
func TestDelta(t *testing.T) {
	var s deltaEncoder
	rapid.Check(t, func(t *rapid.T) {
		record := drawTable(t)
		s.encode(record)
		back, err := decodeDelta(len(record), s.mantissas, s.control)
		if err != nil || !bytes.Equal(back, record) {
			t.Fatalf("%x came back as %x: %v", record, back, err)
		}
	})
}

// TestDeltaRefuses: parts that do not decode to a record of that size are refused. However they are
// changed, decoding ends without a panic.
func TestDeltaRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s deltaEncoder
		record := drawTable(t)
		s.encode(record)
		noise, terse := bytes.Clone(s.mantissas), bytes.Clone(s.control)
		size := len(record)
		switch rapid.IntRange(0, 3).Draw(t, "harm") {
		case 0:
			size += 8 * rapid.IntRange(1, 5).Draw(t, "more")
		case 1:
			noise = append(noise, rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "noise")...)
		case 2:
			terse = append(terse, rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "terse")...)
		case 3:
			at := rapid.IntRange(0, len(terse)-1).Draw(t, "at")
			terse[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
			if back, err := decodeDelta(size, noise, terse); err == nil && len(back) != size {
				t.Fatalf("%d bytes instead of %d", len(back), size)
			}
			return // it may tell another record, which has another digest
		}
		if back, err := decodeDelta(size, noise, terse); !errors.Is(err, ErrMalformed) {
			t.Fatalf("%d bytes, %v", len(back), err)
		}
	})
}

// TestDeltaStored: a table that repeats itself is stored delta-encoded, another one is not, and
// both can be read.
func TestDeltaStored(t *testing.T) {
	c, err := New(2)
	ok(t, err)
	var repeats, noise []byte
	for i := range uint64(1000) {
		repeats = binary.LittleEndian.AppendUint64(repeats, (i%50)*0x9e3779b97f4a7c15+i/300)
		noise = binary.LittleEndian.AppendUint64(noise, i*0x9e3779b97f4a7c15)
	}
	for record, want := range map[*[]byte]byte{&repeats: Delta, &noise: Zstd} {
		stored, err := c.Pack(*record)
		ok(t, err)
		if stored[0] != want && !(want == Zstd && stored[0] == Raw) {
			t.Errorf("stored as %d, want %d", stored[0], want)
		}
		name, err := c.NameOf(stored)
		ok(t, err)
		back, err := c.Decode(name, stored)
		ok(t, err)
		if !bytes.Equal(back, *record) {
			t.Error("another record came back")
		}
	}
}

// TestFloatsStored: floats of which none repeats, alone or among zeros, are stored delta-encoded in fewer bytes than
// zstd takes. Text is not, nor are floats that are no words of the record.
func TestFloatsStored(t *testing.T) {
	c, err := New(2)
	ok(t, err)
	draw := rand.New(rand.NewPCG(1, 2))
	table := func(gap int) (record []byte) {
		for i := range 2000 {
			x := 0.0
			if i%gap == 0 {
				x = draw.Float64() - 0.5
			}
			record = binary.LittleEndian.AppendUint64(record, math.Float64bits(x))
		}
		return record
	}
	var text []byte
	for range 2000 {
		text = fmt.Appendf(text, "%v,", draw.Float64())
	}
	for _, x := range []struct {
		name   string
		record []byte
		delta  bool
	}{
		{"floats", table(1), true}, {"among zeros", table(3), true}, {"text", text, false},
		{"no words", append(table(1), 1, 2, 3), false},
	} {
		stored, err := c.Pack(x.record)
		ok(t, err)
		plain := c.packWhole(x.record)
		if isDelta := stored[0] == Delta; isDelta != x.delta || isDelta && len(stored) > len(plain)*97/100 {
			t.Errorf("%s: stored as %d in %d bytes, zstd %d", x.name, stored[0], len(stored), len(plain))
		}
		back, err := c.Decode(schema.Name(x.record), stored)
		ok(t, err)
		equal(t, x.name, string(back), string(x.record))
	}
}

// TestSimilarToTheEnd: of words that all repeat one, the first alone is new.
func TestSimilarToTheEnd(t *testing.T) {
	for n := 3; n < 40; n++ { // similar words are found in pairs
		var s deltaEncoder
		if s.encode(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, n)); len(s.mantissas) != mantissaSize {
			t.Errorf("%d words: %d bytes of new ones, want %d", n, len(s.mantissas), mantissaSize)
		}
	}
}
