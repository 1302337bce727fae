package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/fxamacker/cbor/v2"
)

// Limits on what a decoder accepts before it allocates. They are far above what
// any value of this package needs and far below what could do harm.
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
	rest, err := unmarshalFirst(data, v)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("%w: %d bytes after a CBOR item", ErrOversized, len(rest))
	}
	return nil
}

// unmarshalFirst decodes the first CBOR item of data and returns what follows.
func unmarshalFirst(data []byte, v any) (rest []byte, err error) {
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
