package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// dtype is the element type of an array in NumPy's notation.
type dtype string

// The element types in use, all little-endian.
const (
	int64s   dtype = "<i8"
	int32s   dtype = "<i4"
	int16s   dtype = "<i2"
	float64s dtype = "<f8"
	uint8s   dtype = "|u1"
	bools    dtype = "|b1"
)

// array writes an array with the given shape; fill must write its elements in row-major order.
func (n *npz) array(name string, kind dtype, shape []int, fill func(*elements) error) error {
	w, err := n.member(name + ".npy")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, npyHeader(kind, shape)); err != nil {
		return err
	}
	e := &elements{w: bufio.NewWriterSize(w, 1<<16)}
	if err := fill(e); err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	return e.w.Flush()
}

// npyHeader returns a header of format version 1.0: magic, version, length, and a Python
// dictionary padded with blanks to a multiple of 64 bytes.
func npyHeader(kind dtype, shape []int) string {
	var dims strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&dims, "%d,", n)
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims.String())
	const fixed = 10
	padding := 63 - (fixed+len(dict))%64
	dict += strings.Repeat(" ", padding) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict
}

// elements writes the elements of an array.
type elements struct {
	w       *bufio.Writer
	scratch []byte
}

// write writes elements. An error of the file stays, and is that of the array.
func (e *elements) write(v any) {
	var err error
	if e.scratch, err = binary.Append(e.scratch[:0], binary.LittleEndian, v); err != nil {
		panic(err) // v has no elements of fixed size
	}
	_, _ = e.w.Write(e.scratch)
}

func writeAll(v any) func(*elements) error { return writeEach(1, func(int) any { return v }) }

// writeEach writes n parts.
func writeEach(n int, part func(int) any) func(*elements) error {
	return func(e *elements) error {
		for i := range n {
			e.write(part(i))
		}
		return nil
	}
}
