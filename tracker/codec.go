package tracker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
)

// A stored record is its codec in one byte, its raw length as an unsigned
// varint, and its data.
const (
	codecRaw  = 0
	codecZstd = 1
)

// packedHead is how much of a stored record tells its form, in bytes: codec,
// length and zstd's own header.
const packedHead = 1 + binary.MaxVarintLen64 + zstd.HeaderMaxSize

// maxRecord is the largest raw record, in bytes.
const maxRecord = 4 << 30

// maxExpansion bounds what zstd can make of a byte: a block of 4 bytes (3 of
// header, 1 to repeat) gives at most 128 KiB.
const maxExpansion = 128 << 10 / 4

var errStored = errors.New("stored form is malformed")

// codec is safe for use by any number of goroutines.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newCodec(level int) (*codec, error) {
	if level < 1 || level > 4 {
		return nil, schema.Hint(fmt.Errorf("compression level %d: %w", level, ErrInvalid), "use 1 to 4")
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevel(level)), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	return &codec{enc: enc, dec: dec}, nil
}

// pack gives a record's stored form: zstd where that is smaller.
func (c *codec) pack(record []byte) ([]byte, error) {
	if uint64(len(record)) > maxRecord {
		return nil, fmt.Errorf("record of %d bytes: %w: the largest is %d", len(record), ErrInvalid, uint64(maxRecord))
	}
	head := binary.AppendUvarint([]byte{codecZstd}, uint64(len(record)))
	stored := c.enc.EncodeAll(record, bytes.Clone(head))
	if len(stored)-len(head) >= len(record) {
		head[0] = codecRaw
		stored = append(head, record...)
	}
	if int64(len(stored)) > bbolt.MaxValueSize {
		return nil, fmt.Errorf("record of %d bytes: %w: it takes %d, the largest is %d", len(record), ErrInvalid, len(stored), int64(bbolt.MaxValueSize))
	}
	return stored, nil
}

// packedSize is a record's raw length by its stored form.
func packedSize(stored []byte) (how byte, size int64, data []byte, err error) {
	if len(stored) < 2 {
		return 0, 0, nil, errStored
	}
	n, width := binary.Uvarint(stored[1:])
	if width <= 0 || n > maxRecord || n > math.MaxInt {
		return 0, 0, nil, errStored
	}
	return stored[0], int64(n), stored[1+width:], nil
}

// packedForm is a record's raw length by the beginning of its stored form, of
// packedHead bytes if there are so many, held to its stored length and to what
// zstd says of it: which is nothing for short records. Then it is not sure.
func packedForm(head []byte, stored int64) (raw int64, sure bool, err error) {
	how, raw, data, err := packedSize(head)
	if err != nil {
		return 0, false, err
	}
	if !fits(how, raw, stored-int64(len(head)-len(data))) {
		return 0, false, errStored
	}
	if how == codecRaw {
		return raw, true, nil
	}
	var h zstd.Header
	if err := h.Decode(data); err != nil || h.HasFCS && h.FrameContentSize != uint64(raw) {
		return 0, false, errStored
	}
	return raw, h.HasFCS, nil
}

// fits says whether n bytes of data can be a record of that size.
func fits(how byte, size, n int64) bool {
	return how == codecRaw && n == size || how == codecZstd && size/maxExpansion <= n
}

// unpack gives the raw record in memory of its own. It allocates no more than
// the stored form can expand to.
func (c *codec) unpack(stored []byte) ([]byte, error) {
	how, size, data, err := packedSize(stored)
	switch {
	case err != nil:
		return nil, err
	case !fits(how, size, int64(len(data))):
		return nil, errStored
	case how == codecRaw:
		return bytes.Clone(data), nil
	}
	raw, err := c.dec.DecodeAll(data, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errStored, err)
	}
	if int64(len(raw)) != size {
		return nil, errStored
	}
	return raw, nil
}
