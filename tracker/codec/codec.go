// Package codec is podtrack's own: it packs records into their stored forms, and unpacks them. A stored form is
// raw, compressed by zstd, or encoded as differences between similar parts of the record.
//
// [Codec] chooses the form, and verifies on unpacking that a record has the expected digest.
//
// A stored form may be forged: its lengths are checked before memory is allocated, and a large record is
// verified before it is unpacked.
package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/memory"
)

// The codecs of stored records. A stored record is its codec in one byte, its raw length as an
// unsigned varint, and its data.
const (
	Raw   = 0
	Zstd  = 1
	Delta = 2 // uvarint lengths of control and mantissas, mantissas, zstd of control
)

// HeadSize is the number of leading bytes of a stored record that determine its form: codec,
// length and zstd's own header, or the lengths of two parts.
const HeadSize = 1 + binary.MaxVarintLen64 + max(zstd.HeaderMaxSize, 2*binary.MaxVarintLen64)

// MaxRecord is the length in bytes of the largest raw record.
const MaxRecord = 4 << 30

// maxExpansion is the largest number of bytes that one byte of zstd can decode to: a block of 4 bytes (a header
// of 3 and a byte to repeat) decodes to at most 128 KiB.
const maxExpansion = 128 << 10 / 4

// maxUnverified is the length in bytes of the largest record that is unpacked in memory before its
// digest is verified. A small stored form can claim gigabytes.
const maxUnverified = 16 << 20

// maxWindow bounds in bytes how far back a stored record may refer. The largest window of the
// levels that podtrack writes is 32 MiB.
const maxWindow = 64 << 20

// minDeltaRecord is the length in bytes of the smallest record that is delta-encoded.
const minDeltaRecord = 512

var errWrongDigest = errors.New("its digest does not match")

// A Codec packs and unpacks records. It is safe for concurrent use.
type Codec struct {
	enc       *zstd.Encoder
	deltaZstd *zstd.Encoder // for the control part: the fastest level, also where nothing repeats
	dec       *zstd.Decoder
	encoders  sync.Pool // of *deltaEncoder
}

// New returns a Codec that compresses at the given level, 1 to 4.
func New(level int) (*Codec, error) {
	if level < 1 || level > 4 {
		return nil, schema.Hint(fmt.Errorf("compression level %d is %w", level, storeerr.ErrInvalid), "use 1 to 4")
	}
	enc, err := newEncoder(zstd.EncoderLevel(level))
	if err != nil {
		return nil, err
	}
	deltaZstd, err := newEncoder(zstd.SpeedFastest, zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(MaxRecord), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	return &Codec{enc: enc, deltaZstd: deltaZstd, dec: dec, encoders: sync.Pool{New: func() any {
		return new(deltaEncoder)
	}}}, nil
}

func newEncoder(level zstd.EncoderLevel, with ...zstd.EOption) (*zstd.Encoder, error) {
	with = append(with, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false))
	e, err := zstd.NewWriter(nil, with...)
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	return e, nil
}

// Pack returns a record's stored form: delta-encoded if most of it repeats or is floats, else compressed by zstd, or
// raw if that is smaller.
func (c *Codec) Pack(record []byte) ([]byte, error) {
	if uint64(len(record)) > MaxRecord {
		return nil, fmt.Errorf("record of %d bytes is %w: the limit is %d", len(record), storeerr.ErrInvalid,
			uint64(MaxRecord))
	}
	stored := c.packDelta(record)
	if stored == nil {
		stored = c.packWhole(record)
	}
	if int64(len(stored)) > bbolt.MaxValueSize {
		return nil, fmt.Errorf("record of %d bytes is %w: packed it takes %d bytes, and the limit is %d", len(record),
			storeerr.ErrInvalid,
			len(stored), int64(bbolt.MaxValueSize))
	}
	return stored, nil
}

func (c *Codec) packWhole(record []byte) []byte {
	head := binary.AppendUvarint([]byte{Zstd}, uint64(len(record)))
	stored := c.enc.EncodeAll(record, bytes.Clone(head))
	if len(stored)-len(head) >= len(record) {
		head[0] = Raw
		stored = append(head, record...)
	}
	return stored
}

// packDelta returns the delta-encoded form, or nil if little of the record repeats or is floats, or it is too large.
func (c *Codec) packDelta(record []byte) []byte {
	if len(record) < minDeltaRecord || len(record) > maxUnverified {
		return nil
	}
	parts := c.encoders.Get().(*deltaEncoder)
	defer c.encoders.Put(parts)
	if !parts.encode(record) {
		return nil
	}
	stored := make([]byte, 0, HeadSize+len(parts.mantissas)+len(parts.control))
	stored = append(stored, Delta)
	for _, n := range []int{len(record), len(parts.control), len(parts.mantissas)} {
		stored = binary.AppendUvarint(stored, uint64(n))
	}
	return c.deltaZstd.EncodeAll(parts.control, append(stored, parts.mantissas...))
}

// Parse splits a stored record into codec, raw length and data.
func Parse(stored []byte) (how byte, size int64, data []byte, err error) {
	if len(stored) < 2 {
		return 0, 0, nil, ErrMalformed
	}
	n, width := binary.Uvarint(stored[1:])
	if width <= 0 || n > MaxRecord || n > math.MaxInt {
		return 0, 0, nil, ErrMalformed
	}
	return stored[0], int64(n), stored[1+width:], nil
}

// CheckHead returns a record's raw length by the first [HeadSize] bytes of its stored form, or all of it if it
// is shorter. It checks the length against the stored length and against zstd's header. The header of a short
// record has no length: then sure is false.
func CheckHead(head []byte, stored int64) (raw int64, sure bool, err error) {
	how, raw, data, err := Parse(head)
	if err != nil {
		return 0, false, err
	}
	if !isPlausibleSize(how, raw, stored-int64(len(head)-len(data))) {
		return 0, false, ErrMalformed
	}
	switch how {
	case Raw:
		return raw, true, nil
	case Delta:
		_, _, err := readPartSizes(&data)
		return raw, err == nil, err
	}
	var h zstd.Header
	if err := h.Decode(data); err != nil || h.HasFCS && h.FrameContentSize != uint64(raw) {
		return 0, false, ErrMalformed
	}
	return raw, h.HasFCS, nil
}

// isPlausibleSize reports whether n bytes of data can decode to a record of the given size.
func isPlausibleSize(how byte, size, n int64) bool {
	return how == Raw && n == size || how == Zstd && size/maxExpansion <= n || how == Delta &&
		size <= maxUnverified
}

// readPartSizes reads the lengths of the control part and of the mantissas from the front of the data.
func readPartSizes(data *[]byte) (control, mantissas uint64, err error) {
	for _, n := range []*uint64{&control, &mantissas} {
		x, width := binary.Uvarint(*data)
		if width <= 0 || x > 2*maxUnverified {
			return 0, 0, ErrMalformed
		}
		*n, *data = x, (*data)[width:]
	}
	return control, mantissas, nil
}

// Decode returns the raw bytes of a stored record in newly allocated memory, and verifies their digest.
func (c *Codec) Decode(name schema.Digest, stored []byte) ([]byte, error) {
	return c.DecodeInto(new(Scratch), name, stored)
}

// A Scratch holds buffers that are reused from record to record.
type Scratch struct{ raw, control []byte }

// maxScratch is the size in bytes of the largest buffer that is reused.
const maxScratch = 1 << 20

// emptySlice returns an empty slice with a capacity of n bytes. Unless n is large, it is buf, which grows if it
// is too small.
func emptySlice(buf *[]byte, n int64) []byte {
	if n > maxScratch {
		return make([]byte, 0, n)
	}
	if n > int64(cap(*buf)) {
		*buf = make([]byte, 0, n)
	}
	return (*buf)[:0:n]
}

// DecodeInto decodes and verifies a record as [Codec.Decode] does, into a buffer that the next record may overwrite.
func (c *Codec) DecodeInto(mem *Scratch, name schema.Digest, stored []byte) ([]byte, error) {
	how, size, data, err := c.checkAndParse(stored)
	if err != nil {
		return nil, err
	}
	if size > maxUnverified {
		if err = c.Verify(name, stored); err == nil {
			err = memory.Check(size)
		}
		if err != nil {
			return nil, err
		}
	}
	raw, err := c.unpack(mem, how, size, data)
	if err == nil && schema.Name(raw) != name {
		err = errWrongDigest
	}
	return raw, err
}

// Verify verifies the digest of a stored record, using little memory.
func (c *Codec) Verify(name schema.Digest, stored []byte) error {
	found, err := c.NameOf(stored)
	if err == nil && found != name {
		err = errWrongDigest
	}
	return err
}

// NameOf returns the digest of a stored record, using little memory.
func (c *Codec) NameOf(stored []byte) (schema.Digest, error) {
	how, size, data, err := c.checkAndParse(stored)
	if err != nil {
		return schema.Digest{}, err
	}
	if size > maxUnverified {
		return c.streamDigest(how, size, data)
	}
	raw, err := c.unpack(new(Scratch), how, size, data)
	return schema.Name(raw), err
}

// checkAndParse splits a stored record like [Parse], and checks that its size is plausible.
func (c *Codec) checkAndParse(stored []byte) (how byte, size int64, data []byte, err error) {
	how, size, data, err = Parse(stored)
	if err == nil && !isPlausibleSize(how, size, int64(len(data))) {
		err = ErrMalformed
	}
	return how, size, data, err
}

// unpack decodes the data, using as much memory as the record's header claims.
func (c *Codec) unpack(mem *Scratch, how byte, size int64, data []byte) ([]byte, error) {
	switch how {
	case Raw:
		return append(emptySlice(&mem.raw, size), data...), nil
	case Delta:
		return c.unpackDelta(mem, size, data)
	}
	return c.inflate(&mem.raw, data, size)
}

// inflate decompresses zstd data, which must decode to exactly size bytes, into buf if that is large enough.
func (c *Codec) inflate(buf *[]byte, data []byte, size int64) ([]byte, error) {
	if size/maxExpansion > int64(len(data)) {
		return nil, ErrMalformed
	}
	raw, err := c.dec.DecodeAll(data, emptySlice(buf, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if int64(len(raw)) != size {
		return nil, ErrMalformed
	}
	return raw, nil
}

func (c *Codec) unpackDelta(mem *Scratch, size int64, data []byte) ([]byte, error) {
	controlSize, mantissasSize, err := readPartSizes(&data)
	if err != nil || mantissasSize > uint64(len(data)) {
		return nil, ErrMalformed
	}
	control, err := c.inflate(&mem.control, data[mantissasSize:], int64(controlSize))
	if err != nil {
		return nil, err
	}
	record := emptySlice(&mem.raw, size)[:size]
	return record, deltaDecode(record, data[:mantissasSize], control)
}

// streamDigest returns a record's digest, with no more of it in memory than zstd's window.
func (c *Codec) streamDigest(how byte, size int64, data []byte) (schema.Digest, error) {
	if how == Raw {
		return schema.Name(data), nil
	}
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return schema.Digest{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	defer z.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(z, size+1))
	if err != nil {
		return schema.Digest{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if n != size {
		return schema.Digest{}, ErrMalformed
	}
	return schema.Digest(hash.Sum(nil)), nil
}
