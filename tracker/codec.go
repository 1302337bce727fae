package tracker

import (
	"bytes"
	"cmp"
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
	"github.com/podtrack/podtrack/tracker/memory"
)

// The codecs of stored records. A stored record is its codec in one byte, its raw length as an
// unsigned varint, and its data.
const (
	codecRaw   = 0
	codecZstd  = 1
	codecDelta = 2 // uvarint lengths of control and mantissas, mantissas, zstd of control
)

// storedHeadSize is the number of leading bytes of a stored record that determine its form: codec,
// length and zstd's own header, or the lengths of two parts.
const storedHeadSize = 1 + binary.MaxVarintLen64 + max(zstd.HeaderMaxSize, 2*binary.MaxVarintLen64)

// maxRecord is the length in bytes of the largest raw record.
const maxRecord = 4 << 30

// maxExpansion is the most that zstd can make of a byte: a block of 4 bytes (a header of 3 and a
// byte to repeat) decodes to at most 128 KiB.
const maxExpansion = 128 << 10 / 4

// maxUnverified is the length in bytes of the largest record that is unpacked in memory before its
// digest is verified. A small stored form can claim gigabytes.
const maxUnverified = 16 << 20

// maxWindow bounds in bytes how far back a stored record may refer. The largest window of the
// levels that podtrack writes is 32 MiB.
const maxWindow = 64 << 20

// minDeltaRecord is the length in bytes of the smallest record that is delta-encoded.
const minDeltaRecord = 512

var (
	errMalformed   = errors.New("stored form is malformed")
	errWrongDigest = errors.New("its digest does not match")
)

// codec packs and unpacks records. It may be used by any number of goroutines.
type codec struct {
	enc       *zstd.Encoder
	deltaZstd *zstd.Encoder // the fastest level, for the control part
	dec       *zstd.Decoder
	encoders  sync.Pool // of *deltaEncoder
}

func newCodec(level int) (*codec, error) {
	if level < 1 || level > 4 {
		return nil, schema.Hint(fmt.Errorf("compression level %d: %w", level, ErrInvalid), "use 1 to 4")
	}
	enc, err := newEncoder(zstd.EncoderLevel(level))
	if err != nil {
		return nil, err
	}
	deltaZstd, err := newEncoder(zstd.SpeedFastest)
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	return &codec{enc: enc, deltaZstd: deltaZstd, dec: dec, encoders: sync.Pool{New: func() any {
		return new(deltaEncoder)
	}}}, nil
}

func newEncoder(level zstd.EncoderLevel) (*zstd.Encoder, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	return e, nil
}

// pack returns a record's stored form: delta-encoded if most of it repeats itself, else compressed
// by zstd, or raw if that is smaller.
func (c *codec) pack(record []byte) ([]byte, error) {
	if uint64(len(record)) > maxRecord {
		return nil, fmt.Errorf("record of %d bytes: %w: the largest is %d", len(record), ErrInvalid, uint64(maxRecord))
	}
	stored := c.packDelta(record)
	if stored == nil {
		stored = c.packWhole(record)
	}
	if int64(len(stored)) > bbolt.MaxValueSize {
		return nil, fmt.Errorf("record of %d bytes: %w: it takes %d, the largest is %d", len(record), ErrInvalid,
			len(stored), int64(bbolt.MaxValueSize))
	}
	return stored, nil
}

func (c *codec) packWhole(record []byte) []byte {
	head := binary.AppendUvarint([]byte{codecZstd}, uint64(len(record)))
	stored := c.enc.EncodeAll(record, bytes.Clone(head))
	if len(stored)-len(head) >= len(record) {
		head[0] = codecRaw
		stored = append(head, record...)
	}
	return stored
}

// packDelta returns the delta-encoded form, or nil if little repeats itself or the record is too
// large.
func (c *codec) packDelta(record []byte) []byte {
	if len(record) < minDeltaRecord || len(record) > maxUnverified {
		return nil
	}
	parts := c.encoders.Get().(*deltaEncoder)
	defer c.encoders.Put(parts)
	if !parts.encode(record) {
		return nil
	}
	stored := make([]byte, 0, storedHeadSize+len(parts.mantissas)+len(parts.control))
	stored = append(stored, codecDelta)
	for _, n := range []int{len(record), len(parts.control), len(parts.mantissas)} {
		stored = binary.AppendUvarint(stored, uint64(n))
	}
	return c.deltaZstd.EncodeAll(parts.control, append(stored, parts.mantissas...))
}

// parseStored splits a stored record into codec, raw length and data.
func parseStored(stored []byte) (how byte, size int64, data []byte, err error) {
	if len(stored) < 2 {
		return 0, 0, nil, errMalformed
	}
	n, width := binary.Uvarint(stored[1:])
	if width <= 0 || n > maxRecord || n > math.MaxInt {
		return 0, 0, nil, errMalformed
	}
	return stored[0], int64(n), stored[1+width:], nil
}

// checkStoredHead returns a record's raw length by the first storedHeadSize bytes of its stored
// form, or all of it if it is shorter. It checks the length against the stored length and against
// zstd's header. Short records have no length in that header: then sure is false.
func checkStoredHead(head []byte, stored int64) (raw int64, sure bool, err error) {
	how, raw, data, err := parseStored(head)
	if err != nil {
		return 0, false, err
	}
	if !isPlausibleSize(how, raw, stored-int64(len(head)-len(data))) {
		return 0, false, errMalformed
	}
	switch how {
	case codecRaw:
		return raw, true, nil
	case codecDelta:
		_, _, err := readPartSizes(&data)
		return raw, err == nil, err
	}
	var h zstd.Header
	if err := h.Decode(data); err != nil || h.HasFCS && h.FrameContentSize != uint64(raw) {
		return 0, false, errMalformed
	}
	return raw, h.HasFCS, nil
}

// isPlausibleSize reports whether n bytes of data can decode to a record of that size.
func isPlausibleSize(how byte, size, n int64) bool {
	return how == codecRaw && n == size || how == codecZstd && size/maxExpansion <= n || how == codecDelta &&
		size <= maxUnverified
}

// readPartSizes reads the lengths of the control part and of the mantissas from the front of the
// data.
func readPartSizes(data *[]byte) (control, mantissas uint64, err error) {
	for _, n := range []*uint64{&control, &mantissas} {
		x, width := binary.Uvarint(*data)
		if width <= 0 || x > 2*maxUnverified {
			return 0, 0, errMalformed
		}
		*n, *data = x, (*data)[width:]
	}
	return control, mantissas, nil
}

// decodeRecord returns the raw bytes of a stored record in newly allocated memory, and verifies
// that its name is the given one.
func (c *codec) decodeRecord(name schema.Digest, stored []byte) ([]byte, error) {
	return c.decodeInto(new(scratch), name, stored)
}

// scratch holds buffers that are reused from record to record.
type scratch struct{ raw, control []byte }

// maxScratch is the largest buffer that is kept for the next record, in bytes.
const maxScratch = 1 << 20

// emptySlice returns an empty slice with a capacity of n bytes. It uses or replaces buf unless n is
// large.
func emptySlice(buf *[]byte, n int64) []byte {
	if n > maxScratch {
		return make([]byte, 0, n)
	}
	if n > int64(cap(*buf)) {
		*buf = make([]byte, 0, n)
	}
	return (*buf)[:0:n]
}

// decodeInto decodes like decodeRecord, into buffers that the next record may overwrite.
func (c *codec) decodeInto(mem *scratch, name schema.Digest, stored []byte) ([]byte, error) {
	how, size, data, err := c.checkAndParse(stored)
	if err != nil {
		return nil, err
	}
	if size > maxUnverified {
		if found, err := c.streamDigest(how, size, data); err != nil || found != name {
			return nil, cmp.Or(err, errWrongDigest)
		}
		if err := memory.Check(size); err != nil {
			return nil, err
		}
	}
	raw, err := c.unpack(mem, how, size, data)
	if err == nil && schema.Name(raw) != name {
		err = errWrongDigest
	}
	return raw, err
}

// nameOf returns the digest of a stored record, using little memory.
func (c *codec) nameOf(stored []byte) (schema.Digest, error) {
	how, size, data, err := c.checkAndParse(stored)
	if err != nil {
		return schema.Digest{}, err
	}
	if size > maxUnverified {
		return c.streamDigest(how, size, data)
	}
	raw, err := c.unpack(new(scratch), how, size, data)
	return schema.Name(raw), err
}

// checkAndParse splits a stored record like [parseStored], and checks that its size is plausible.
func (c *codec) checkAndParse(stored []byte) (how byte, size int64, data []byte, err error) {
	how, size, data, err = parseStored(stored)
	if err == nil && !isPlausibleSize(how, size, int64(len(data))) {
		err = errMalformed
	}
	return how, size, data, err
}

// unpack decodes the data, using as much memory as the record's header claims.
func (c *codec) unpack(mem *scratch, how byte, size int64, data []byte) ([]byte, error) {
	switch how {
	case codecRaw:
		return append(emptySlice(&mem.raw, size), data...), nil
	case codecDelta:
		return c.unpackDelta(mem, size, data)
	}
	return c.inflate(&mem.raw, data, size)
}

// inflate decompresses zstd data, which must give exactly size bytes, into buf if that is large
// enough.
func (c *codec) inflate(buf *[]byte, data []byte, size int64) ([]byte, error) {
	if size/maxExpansion > int64(len(data)) {
		return nil, errMalformed
	}
	raw, err := c.dec.DecodeAll(data, emptySlice(buf, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if int64(len(raw)) != size {
		return nil, errMalformed
	}
	return raw, nil
}

func (c *codec) unpackDelta(mem *scratch, size int64, data []byte) ([]byte, error) {
	controlSize, mantissasSize, err := readPartSizes(&data)
	if err != nil || mantissasSize > uint64(len(data)) {
		return nil, errMalformed
	}
	control, err := c.inflate(&mem.control, data[mantissasSize:], int64(controlSize))
	if err != nil {
		return nil, err
	}
	record := emptySlice(&mem.raw, size)[:size]
	return record, deltaDecode(record, data[:mantissasSize], control)
}

// streamDigest returns a record's digest, holding no more of it in memory than zstd's window.
func (c *codec) streamDigest(how byte, size int64, data []byte) (schema.Digest, error) {
	if how == codecRaw {
		return schema.Name(data), nil
	}
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return schema.Digest{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	defer z.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(z, size+1))
	if err != nil {
		return schema.Digest{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if n != size {
		return schema.Digest{}, errMalformed
	}
	return schema.Digest(hash.Sum(nil)), nil
}
