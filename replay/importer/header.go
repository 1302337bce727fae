package importer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

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
	entry      = regexp.MustCompile(`^'(descr|fortran_order|shape)' ?: ?('[^']*'|True|False|\([0-9, ]*\)) ?,? ?`)
)

// parseHeader parses the dictionary of exactly three entries that NumPy writes.
func parseHeader(text string) (header, error) {
	body, ok := strings.CutPrefix(strings.TrimRight(text, " \n"), "{")
	body, closed := strings.CutSuffix(body, "}")
	entries := map[string]string{}
	for ok && closed && body != "" {
		m := entry.FindStringSubmatch(body)
		if m == nil || entries[m[1]] != "" {
			ok = false
			break
		}
		entries[m[1]], body = m[2], body[len(m[0]):]
	}
	if strings.Contains(text, "'|O'") {
		return header{}, errors.New("it holds Python objects, which are never unpickled")
	}
	if !ok || !closed || len(entries) != 3 {
		return header{}, fmt.Errorf("invalid header %.200q", strings.TrimSpace(text))
	}
	var h header
	if err := h.setType(entries["descr"]); err != nil {
		return h, err
	}
	h.fortran = entries["fortran_order"] == "True"
	if !h.fortran && entries["fortran_order"] != "False" {
		return h, fmt.Errorf("invalid fortran_order %s", entries["fortran_order"])
	}
	return h, h.setShape(entries["shape"])
}

func (h *header) setType(descr string) error {
	name := strings.Trim(descr, "'")
	m := simpleType.FindStringSubmatch(name)
	if m == nil {
		return fmt.Errorf("elements of type %.40s are not supported", descr)
	}
	h.kind, h.size, h.order = m[1][0], int(m[2][0]-'0'), binary.LittleEndian
	if name[0] == '>' {
		h.order = binary.BigEndian
	}
	marked := strings.ContainsRune("<>", rune(name[0]))
	if h.kind == 'f' && h.size < 4 || h.kind == 'b' && h.size != 1 || h.size > 1 && !marked {
		return fmt.Errorf("elements of type %.40s are not supported", descr)
	}
	return nil
}

func (h *header) setShape(tuple string) error {
	if !strings.HasPrefix(tuple, "(") {
		return fmt.Errorf("its shape is %s", tuple)
	}
	inner := strings.TrimSuffix(strings.ReplaceAll(tuple[1:len(tuple)-1], " ", ""), ",")
	h.shape = []int64{}
	if inner == "" {
		return nil
	}
	for _, axis := range strings.Split(inner, ",") {
		n, err := strconv.ParseInt(axis, 10, 64)
		if err != nil || n > maxAxis {
			return fmt.Errorf("its shape is %.200s", tuple)
		}
		h.shape = append(h.shape, n)
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
