package codec

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

func TestCodec(t *testing.T) {
	c, err := New(2)
	ok(t, err)
	noise := make([]byte, 5000)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for _, record := range [][]byte{{}, {1}, []byte(strings.Repeat("a", 1<<20)), noise, make([]byte, maxUnverified+1),
		bytes.Repeat(noise, maxUnverified/len(noise)+1)} {
		stored, err := c.Pack(record)
		ok(t, err)
		if len(stored) > len(record)+6 {
			t.Errorf("%d bytes stored as %d", len(record), len(stored))
		}
		raw, err := c.Decode(schema.Name(record), stored)
		ok(t, err)
		equal(t, "record", string(raw), string(record))
		name, err := c.NameOf(stored)
		ok(t, err)
		equal(t, "name", name, schema.Name(record))
	}
	for level := range 6 {
		if _, err := New(level); (err == nil) != (level >= 1 && level <= 4) {
			t.Errorf("level %d: %v", level, err)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	c, err := New(2)
	ok(t, err)
	frame := c.enc.EncodeAll(make([]byte, 1000), nil)
	form := func(how byte, size uint64, data []byte) []byte {
		return append(binary.AppendUvarint([]byte{how}, size), data...)
	}
	for name, stored := range map[string][]byte{
		"nothing":              nil,
		"codec alone":          {Zstd},
		"endless length":       bytes.Repeat([]byte{0xff}, 20),
		"unknown codec":        form(2, 1000, frame),
		"raw, too short":       form(Raw, 3, []byte("ab")),
		"raw, too long":        form(Raw, 1, []byte("ab")),
		"zstd, length too low": form(Zstd, 999, frame),
		"zstd, length too big": form(Zstd, 1001, frame),
		"zstd, absurd length":  form(Zstd, MaxRecord, frame),
		"zstd, above the cap":  form(Zstd, MaxRecord+1, frame),
		"zstd, cut off":        form(Zstd, 1000, frame[:len(frame)-1]),
		"zstd, text":           form(Zstd, 10, []byte("not a frame")),
	} {
		if name, err := c.NameOf(stored); err == nil {
			t.Errorf("%s: it has the name %s", name, name)
		}
		if raw, err := c.Decode(schema.Digest{}, stored); err == nil {
			t.Errorf("%s: gave %d bytes", name, len(raw))
		}
	}
}

// FuzzUnpack: unpacking any stored record ends, within the memory that its length allows, and
// packing the result again gives the same record.
func FuzzUnpack(f *testing.F) {
	c, err := New(2)
	ok(f, err)
	for _, record := range [][]byte{{}, []byte("raw"), bytes.Repeat([]byte("zstd"), 1000), make([]byte, 1<<20),
		bytes.Repeat([]byte("a stretch of 24 bytes..."), 100)} {
		stored, err := c.Pack(record)
		ok(f, err)
		f.Add(stored)
	}
	f.Add([]byte{Zstd, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x28, 0xb5, 0x2f, 0xfd})
	f.Add([]byte{Raw, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, stored []byte) {
		if len(stored) > 4<<10 {
			return // it may take 128 MB as it is
		}
		name, err := c.NameOf(stored)
		if err != nil {
			return
		}
		raw, err := c.Decode(name, stored)
		if err != nil || schema.Name(raw) != name {
			t.Fatalf("it has a name, %s, but cannot be had: %v", name, err)
		}
		if _, err := c.Decode(schema.Digest{}, stored); err == nil {
			t.Fatal("it was had under another name")
		}
		if len(raw) > max(maxUnverified, maxExpansion*len(stored)) {
			t.Fatalf("%d bytes out of %d", len(raw), len(stored))
		}
		again, err := c.Pack(raw)
		ok(t, err)
		if back, err := c.Decode(name, again); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("packed again it is another record: %v", err)
		}
	})
}

var ok = schematest.Must

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
