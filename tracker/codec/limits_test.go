package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: a value at a limit is accepted, and one beyond it is refused. Headers claim the sizes.
func TestLimits(t *testing.T) {
	parse := func(size uint64) error {
		_, _, _, err := Parse(binary.AppendUvarint([]byte{Raw}, size))
		return err
	}
	claim := func(how byte, size, data int64) error {
		_, _, err := CheckHead(append(binary.AppendUvarint([]byte{how}, uint64(size)), 1, 1), 1+
			int64(len(binary.AppendUvarint(nil, uint64(size))))+data)
		return err
	}
	parts := func(control, mantissas uint64) error {
		data := binary.AppendUvarint(binary.AppendUvarint(nil, control), mantissas)
		_, _, err := readPartSizes(&data)
		return err
	}
	level := func(n int) error {
		_, err := New(n)
		return err
	}
	schematest.Limits{
		{"the size of a record", "malformed", parse(MaxRecord), parse(MaxRecord + 1)},
		{"the size of a delta-encoded record", "malformed", claim(Delta, maxUnverified, 2),
			claim(Delta, maxUnverified+1, 2)},
		{"the size of a raw record", "malformed", claim(Raw, 2, 2), claim(Raw, 3, 2)},
		{"control of a delta", "malformed", parts(2*maxUnverified, 0), parts(2*maxUnverified+1, 0)},
		{"mantissas of a delta", "malformed", parts(0, 2*maxUnverified), parts(0, 2*maxUnverified+1)},
		{"the highest level", "use 1 to 4", level(4), level(5)},
		{"the lowest level", "use 1 to 4", level(1), level(0)},
	}.Check(t)
}

// TestExpansionLimit: data may claim the largest size that zstd can decode from them, and not one byte more.
func TestExpansionLimit(t *testing.T) {
	const n, most = 5, 6*maxExpansion - 1
	if !isPlausibleSize(Zstd, most, n) || isPlausibleSize(Zstd, most+1, n) {
		t.Errorf("%d bytes can be %d: %t, one more: %t", n, most, isPlausibleSize(Zstd, most, n),
			isPlausibleSize(Zstd, most+1, n))
	}
	c, err := New(1)
	ok(t, err)
	if _, err := c.inflate(new([]byte), make([]byte, n), most+1); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

// TestLimitsOfForms: short records and very long ones are not delta-encoded, and large buffers are not kept.
func TestLimitsOfForms(t *testing.T) {
	c, err := New(1)
	ok(t, err)
	ones := bytes.Repeat([]byte("\x00\x00\x00\x00\x00\x00\xf0\x3f"), maxUnverified/8+1)
	encodes := func(n int) bool { return c.packDelta(ones[:n]) != nil }
	keeps := func(n int64) bool {
		var buf []byte
		b := emptySlice(&buf, n)
		equal(t, "capacity", int64(cap(b)), n)
		return buf != nil
	}
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"the smallest", encodes(minDeltaRecord), encodes(minDeltaRecord - 1)},
		{"the largest", encodes(maxUnverified), encodes(maxUnverified + 1)},
		{"a buffer", keeps(maxScratch), keeps(maxScratch + 1)},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: at the limit %t, one beyond %t", limit.name, limit.at, limit.beyond)
		}
	}
}
