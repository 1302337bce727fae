package importer

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// maxExpansion is the largest expansion factor of deflate (zlib's technical details). A file that
// claims more is invalid.
const maxExpansion = 1032

// Bounds on the work that a small file can cause. An array of up to freeBytes is read whatever its compression ratio,
// in at most 3 to 4 seconds; a larger one only if its ratio is at most maxGain. Recorded walks and features have ratios
// of 5 to 60.
const (
	freeBytes = 1 << 28
	maxGain   = 100
)

// array is a member whose elements are read in order.
type array struct {
	header
	name    string
	member  io.ReadCloser
	r       *bufio.Reader
	at      int64 // elements read
	scratch []byte
}

// checkPacking returns an error for a member that deflate cannot have produced, or whose compression ratio is too high.
func checkPacking(name string, f *zip.FileHeader) error {
	packed, size := f.CompressedSize64, f.UncompressedSize64
	switch {
	case f.Method == zip.Store:
	case size/maxExpansion > packed:
		return newArrayError(name, fmt.Errorf("%d bytes cannot be compressed to %d", size, packed))
	case size > freeBytes && size/maxGain > packed:
		return schema.Hint(fmt.Errorf("%s: %w: its %d bytes decompress to %d", name, ErrArray, packed, size),
			"if it is valid, write it with numpy.savez, which does not compress")
	}
	return nil
}

// open opens an array and checks its shape against the member's size.
func (a *Archive) open(name string) (*array, error) {
	f := a.members[name]
	if err := checkPacking(name, &f.FileHeader); err != nil {
		return nil, err
	}
	member, err := f.Open()
	if err != nil {
		return nil, newArrayError(name, err)
	}
	x := &array{name: name, member: member, r: bufio.NewReaderSize(member, 1<<16)}
	if x.header, err = readHeader(x.r); err == nil {
		if need, ok := x.bytes(); !ok || need != f.UncompressedSize64 {
			err = fmt.Errorf("an array of shape %v does not have %d bytes", x.shape, f.UncompressedSize64)
		}
	}
	if err != nil {
		member.Close()
		return nil, newArrayError(name, err)
	}
	return x, nil
}

func newArrayError(name string, err error) error {
	return schema.Hint(fmt.Errorf("%s: %w: %w", name, ErrArray, err),
		"write it again with numpy.savez; integers of 1 to 8 bytes, float32 and float64 are read")
}

// readElements reads n elements. The bytes are valid until the next call.
func (a *array) readElements(n int) ([]byte, error) {
	if need := n * a.size; cap(a.scratch) < need {
		a.scratch = make([]byte, need)
	}
	b := a.scratch[:n*a.size]
	if _, err := io.ReadFull(a.r, b); err != nil {
		return nil, newArrayError(a.name, newTruncatedError(err))
	}
	a.at += int64(n)
	return b, nil
}

// checkEnd checks that nothing follows, which also verifies the checksum.
func (a *array) checkEnd() error {
	switch _, err := a.r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return newArrayError(a.name, fmt.Errorf("it has more elements than its shape"))
	default:
		return newArrayError(a.name, err)
	}
}

// readInts reads the next elements as integers.
func (a *array) readInts(dst []int64) error {
	b, err := a.readElements(len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		u := a.elementBits(b[i*a.size:])
		switch {
		case a.kind == 'i':
			shift := 64 - 8*a.size
			dst[i] = int64(u<<shift) >> shift
		case u > math.MaxInt64 || a.kind == 'b' && u > 1:
			return newArrayError(a.name, fmt.Errorf("element %d is %d", a.at-int64(len(dst)-i), u))
		default:
			dst[i] = int64(u)
		}
	}
	return nil
}

// elementBits returns the element at the beginning of b, its bits unsigned.
func (a *array) elementBits(b []byte) uint64 {
	switch a.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(a.order.Uint16(b))
	case 4:
		return uint64(a.order.Uint32(b))
	}
	return a.order.Uint64(b)
}

// readFloats reads the next elements as floats, −0 as 0. It rejects elements that are not finite
// or not exactly representable.
func (a *array) readFloats(dst []float64) error {
	if a.kind != 'f' {
		return a.readIntsAsFloats(dst)
	}
	b, err := a.readElements(len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		v := math.Float64frombits(a.elementBits(b[i*a.size:]))
		if a.size == 4 {
			v = float64(math.Float32frombits(uint32(a.elementBits(b[i*a.size:]))))
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return a.newElementError(len(dst)-i, v)
		}
		dst[i] = v + 0
	}
	return nil
}

// readIntsAsFloats reads the next elements, integers, as floats.
func (a *array) readIntsAsFloats(dst []float64) error {
	whole := make([]int64, len(dst))
	if err := a.readInts(whole); err != nil {
		return err
	}
	const limit = 1 << 53
	for i, n := range whole {
		if n > limit || n < -limit {
			return a.newElementError(len(dst)-i, n)
		}
		dst[i] = float64(n)
	}
	return nil
}

// newElementError returns the error of an element that has been read: the one that lies before elements ahead of the
// reading position.
func (a *array) newElementError(before int, v any) error {
	at := a.at - int64(before)
	row, column := at/a.shape[1], at%a.shape[1]
	if a.fortran {
		row, column = at%a.shape[0], at/a.shape[0]
	}
	return schema.Hint(fmt.Errorf("%s[%d,%d] is %v: %w", a.name, row, column, v, ErrArray),
		"D must be finite, and its integers at most 2^53")
}

// header describes an array.
type header struct {
	kind    byte // i, u, f or b: signed, unsigned, float, bool
	size    int  // bytes an element
	order   binary.ByteOrder
	fortran bool // column by column
	shape   []int64
	length  int64 // bytes of the header itself
}

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16 // bytes; NumPy needs about 120
	maxAxis   = schema.MaxSteps + 1
)

// readHeader reads headers of versions 1 to 3. They differ in the width of the length, and in the encoding of field
// names; arrays with fields are not supported.
func readHeader(r io.Reader) (header, error) {
	fixed := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, fixed); err != nil {
		return header{}, newTruncatedError(err)
	}
	width := 4
	switch version := fixed[len(magic)]; {
	case string(fixed[:len(magic)]) != magic:
		return header{}, errors.New("it does not begin like an array of NumPy")
	case version < 1 || version > 3 || fixed[len(magic)+1] != 0:
		return header{}, fmt.Errorf("unknown format version %d.%d", version, fixed[len(magic)+1])
	case version == 1:
		width = 2
	}
	field := make([]byte, 4)
	if _, err := io.ReadFull(r, field[:width]); err != nil {
		return header{}, newTruncatedError(err)
	}
	n := binary.LittleEndian.Uint32(field)
	if n > maxHeader {
		return header{}, fmt.Errorf("its header claims %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, newTruncatedError(err)
	}
	h, err := parseHeader(string(text))
	h.length = int64(len(fixed) + width + len(text))
	return h, err
}

// newTruncatedError returns an error that names the unexpected end of a member.
func newTruncatedError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is truncated")
	}
	return err
}

var (
	simpleType = regexp.MustCompile(`^[<>|=]?([biuf])([1248])$`)
	asJSON     = strings.NewReplacer("'", `"`, "True", "true", "False", "false",
		"(", "[", ", )", "]", ",)", "]", ")", "]", ", }", "}", ",}", "}")
)

// parseHeader parses the dictionary of exactly three entries that NumPy writes. It is read as JSON, strictly.
func parseHeader(text string) (h header, err error) {
	if strings.Contains(text, "'|O'") {
		return h, errors.New("it holds Python objects, which are never unpickled")
	}
	var told struct {
		Descr   string   `json:"descr"`
		Fortran *bool    `json:"fortran_order"`
		Shape   []uint64 `json:"shape"`
	}
	if strings.Contains(text, `"`) || wire.DecodeJSON([]byte(asJSON.Replace(text)), &told) != nil ||
		told.Fortran == nil || told.Shape == nil {
		return h, fmt.Errorf("invalid header %.200q", strings.TrimSpace(text))
	}
	h.fortran, h.shape = *told.Fortran, make([]int64, len(told.Shape))
	for i, n := range told.Shape {
		if n > maxAxis {
			return h, fmt.Errorf("its shape is %.200s", fmt.Sprint(told.Shape))
		}
		h.shape[i] = int64(n)
	}
	return h, h.setType(told.Descr)
}

func (h *header) setType(name string) error {
	m := simpleType.FindStringSubmatch(name)
	if m == nil {
		return fmt.Errorf("elements of type '%.40s' are not supported", name)
	}
	h.kind, h.size, h.order = m[1][0], int(m[2][0]-'0'), binary.LittleEndian
	if name[0] == '>' {
		h.order = binary.BigEndian
	}
	marked := strings.ContainsRune("<>", rune(name[0]))
	if h.kind == 'f' && h.size < 4 || h.kind == 'b' && h.size != 1 || h.size > 1 && !marked {
		return fmt.Errorf("elements of type '%.40s' are not supported", name)
	}
	return nil
}

// bytes returns the size of a member with this header, false if it overflows.
func (h *header) bytes() (uint64, bool) {
	total := uint64(h.size)
	for _, n := range h.shape {
		high, low := bits.Mul64(total, uint64(n))
		if high != 0 {
			return 0, false
		}
		total = low
	}
	sum, carry := bits.Add64(total, uint64(h.length), 0)
	return sum, carry == 0
}
