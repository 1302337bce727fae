package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// Limits on what a decoder accepts before it allocates. They are far above the needs of any value, and far
// below what could exhaust memory.
const (
	maxNesting  = 8
	maxElements = 1 << 22
	maxPairs    = 1 << 10
)

var (
	encoder = must(encodingOptions().EncMode())
	decoder = must(cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		MaxNestedLevels:   maxNesting,
		MaxArrayElements:  maxElements,
		MaxMapPairs:       maxPairs,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
		NaN:               cbor.NaNDecodeForbidden,
		Inf:               cbor.InfDecodeForbidden,
	}.DecMode())
)

// encodingOptions returns RFC 8949 §4.2.1 core deterministic encoding without NaN or Inf.
func encodingOptions() cbor.EncOptions {
	o := cbor.CoreDetEncOptions()
	o.NaNConvert = cbor.NaNConvertReject
	o.InfConvert = cbor.InfConvertReject
	o.NilContainers = cbor.NilContainerAsEmpty
	return o
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Marshal returns the canonical CBOR encoding of v.
func Marshal(v any) ([]byte, error) { return encoder.Marshal(v) }

// Unmarshal decodes exactly data into v, which must be a non-nil pointer to a zero value.
// It refuses any bytes but those that [Marshal] returns for the value, with one of this
// package's errors.
func Unmarshal(data []byte, v any) error {
	rest, err := UnmarshalFirst(data, v)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: %d bytes after a CBOR item", ErrOversized, len(rest))
	}
	return nil
}

// UnmarshalFirst decodes the first CBOR item of data and returns what follows.
func UnmarshalFirst(data []byte, v any) (rest []byte, err error) {
	rest, err = decoder.UnmarshalFirst(data, v)
	if err != nil {
		return nil, decodeError(err)
	}
	again, err := encoder.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if !bytes.Equal(again, data[:len(data)-len(rest)]) {
		return nil, fmt.Errorf("%w: CBOR", ErrNotCanonical)
	}
	return rest, nil
}

func decodeError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: CBOR", ErrTruncated)
	}
	return fmt.Errorf("%w: %w", ErrMalformed, err)
}

// The major types of RFC 8949 §3.1, and null.
const (
	majorUint  = 0
	majorNint  = 1
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5

	null = 0xf6
)

// appendHead appends the head of an item of the given major type and length, in its
// shortest form (RFC 8949 §4.2.1).
func appendHead(b []byte, major byte, n int) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n < 1<<8:
		return append(b, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
}

// AppendUint appends the encoding of n.
func AppendUint(b []byte, n int) []byte { return appendHead(b, majorUint, n) }

// AppendArrayHead appends the head of an array of n items.
func AppendArrayHead(b []byte, n int) []byte { return appendHead(b, majorArray, n) }

// AppendText appends a text string.
func AppendText(b []byte, text string) []byte {
	return append(appendHead(b, majorText, len(text)), text...)
}

// AppendBytes appends a byte string.
func AppendBytes(b, bytes []byte) []byte {
	return append(appendHead(b, majorBytes, len(bytes)), bytes...)
}

// AppendNull appends null.
func AppendNull(b []byte) []byte { return append(b, null) }

// A List is a slice of structs that is safe to decode from forged bytes. The head of a CBOR array can claim a
// million structs, and a decoder allocates them all before it reads the first. A List first checks that data is
// long enough for that many elements of the shortest encoding.
type List[T any] []T

// UnmarshalCBOR implements the decoder's interface.
func (l *List[T]) UnmarshalCBOR(data []byte) error {
	r := NewCBORReader(data)
	if n := r.ReadArray(len(data)); n > len(data)/shortestEncoding[T]() {
		return fmt.Errorf("%w: %d elements in %d bytes", ErrTruncated, n, len(data))
	}
	return decoder.Unmarshal(data, (*[]T)(l))
}

var shortestEncodings sync.Map // reflect.Type → int

// shortestEncoding returns the length of the encoding of T's zero value. No other value has a shorter one.
func shortestEncoding[T any]() int {
	t := reflect.TypeFor[T]()
	if n, known := shortestEncodings.Load(t); known {
		return n.(int)
	}
	n := len(must(encoder.Marshal(*new(T))))
	shortestEncodings.Store(t, n)
	return n
}

// Errors of reading bytes that this package would not have written.
var (
	ErrTruncated    = errors.New("bytes end too early")
	ErrOversized    = errors.New("bytes go on after the end")
	ErrNotCanonical = errors.New("bytes are not in canonical form")
	ErrVersion      = errors.New("version is not known to this program")
	ErrMalformed    = errors.New("bytes are malformed")
)

// ErrNoEncoding is the error of writing a number that is not finite.
var ErrNoEncoding = errors.New("no encoding")
