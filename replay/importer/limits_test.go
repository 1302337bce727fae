package importer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Headers claim the sizes.
func TestLimits(t *testing.T) {
	file := func(size int64) error {
		if _, err := Open(strings.NewReader(""), size); !strings.Contains(err.Error(), "zip: not a valid zip file") {
			return err
		}
		return nil
	}
	packed := func(size, packed uint64) error {
		return checkPacking("x", &zip.FileHeader{Method: zip.Deflate, UncompressedSize64: size, CompressedSize64: packed})
	}
	head := func(n int) error {
		text := "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
		b := binary.LittleEndian.AppendUint32([]byte(magic+"\x02\x00"), uint32(n))
		_, err := readHeader(strings.NewReader(string(b) + text + strings.Repeat(" ", n-len(text))))
		return err
	}
	axis := func(n int64) error {
		_, err := parseHeader(fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", n))
		return err
	}
	shape := func(n, d int64) error { return checkShape(&array{name: "D", header: header{shape: []int64{n, d}}}) }
	number := func(kind byte, u uint64, read func(*array) error) error {
		return read(&array{name: "x", header: header{kind: kind, size: 8, order: binary.LittleEndian, shape: []int64{1, 1}},
			r: bufio.NewReader(bytes.NewReader(binary.LittleEndian.AppendUint64(nil, u)))})
	}
	whole := func(u uint64) error {
		return number('u', u, func(x *array) error { return x.readInts(make([]int64, 1)) })
	}
	real := func(n int64) error {
		return number('i', uint64(n), func(x *array) error { return x.readFloats(make([]float64, 1)) })
	}
	fortran := func(n int64) error {
		x := &array{name: "D", header: header{kind: 'f', size: 8, order: binary.LittleEndian, shape: []int64{n, 2}},
			r: bufio.NewReader(strings.NewReader(""))}
		if err := x.eachFortranRow(t.Context(), nil); !strings.Contains(err.Error(), "truncated") {
			return err
		}
		return nil
	}
	squares := func(sum float64) error { return (&magnitude{squares: sum}).check("D") }
	distinct := func(n int) error {
		return (&counter{at: map[string]int{}, counts: make([]int64, n-1)}).add([]float64{1})
	}
	const most = MaxDistinct / (8 + rowOverhead)
	schematest.Limits{
		{"the size of a file", "at most 68719476736 bytes", file(1 << 36), file(1<<36 + 1)},
		{"what deflate can make", "cannot be compressed to 9", packed(10*maxExpansion-1, 9),
			packed(10*maxExpansion, 9)},
		{"what is unpacked freely", "decompress to 268435457", packed(freeBytes, freeBytes/1000),
			packed(freeBytes+1, freeBytes/1000)},
		{"what a byte may make", "numpy.savez", packed(maxGain<<24+maxGain-1, 1<<24),
			packed(maxGain<<24+maxGain, 1<<24)},
		{"the header of an array", "claims 65537 bytes", head(1 << 16), head(1<<16 + 1)},
		{"an axis", "[1099511627778]", axis(schema.MaxSteps + 1), axis(schema.MaxSteps + 2)},
		{"rows", "at most 1099511627776 rows", shape(schema.MaxSteps, 1), shape(schema.MaxSteps+1, 1)},
		{"features", "at most 4096 features", shape(1, 4096), shape(1, 4097)},
		{"a whole number", "element 0 is 9223372036854775808", whole(math.MaxInt64), whole(math.MaxInt64 + 1)},
		{"a whole number as a float", "9007199254740993", real(1 << 53), real(1<<53 + 1)},
		{"a negative one", "-9007199254740993", real(-1 << 53), real(-1<<53 - 1)},
		{"Fortran order", "numpy.ascontiguousarray", fortran(MaxDistinct / 16), fortran(MaxDistinct/16 + 1)},
		{"the largest σ", "1.12e+307, the largest σ", squares(0x1p840), squares(0x1p840 * (1 + 0x1p-51))},
		{"distinct rows", fmt.Sprintf("more than %d distinct rows", most), distinct(most), distinct(most + 1)},
	}.Check(t)
}
