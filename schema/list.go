package schema

import (
	"fmt"
	"reflect"
	"sync"
)

// A List is a slice of structs in something that is decoded from foreign bytes. An item of CBOR can claim a million
// structs in as many bytes, for which a decoder would take all the memory before it reads the first: a List takes
// none unless the bytes are as many as the shortest elements need.
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
