package excerpt

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/memory"
)

const (
	MaxSize   = 1 << 30 // bytes of an excerpt, unpacked
	MaxListed = 1 << 20 // iterations of an excerpt, plus the records that they list
)

// ErrTooLarge is the error of an excerpt beyond [MaxSize] or [MaxListed].
var ErrTooLarge = errors.New("the excerpt is too large")

var errListsTooMuch = fmt.Errorf("%w: it lists more than %d iterations and records", ErrTooLarge, MaxListed)

// maxWindow bounds the distance in bytes of references within a stream, and so the memory to unpack it.
const maxWindow = 8 << 20

// An itemWriter writes compressed items, each after its length.
type itemWriter struct {
	zstd *zstd.Encoder
	size int64 // unpacked
}

func newItemWriter(w io.Writer) (*itemWriter, error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithWindowSize(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	return &itemWriter{zstd: z}, nil
}

func (i *itemWriter) put(item []byte) error {
	head := binary.AppendUvarint(nil, uint64(len(item)))
	if i.size += int64(len(head) + len(item)); i.size > MaxSize {
		return fmt.Errorf("%w: it has more than %d MiB", ErrTooLarge, MaxSize>>20)
	}
	_, err := i.zstd.Write(head)
	if err == nil {
		_, err = i.zstd.Write(item)
	}
	return err
}

func (i *itemWriter) marshal(v any) error {
	item, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	return i.put(item)
}

func (i *itemWriter) close() error { return i.zstd.Close() }

type itemReader struct {
	ctx  context.Context // of all reads
	zstd *zstd.Decoder
	in   *bufio.Reader
	left int64 // bytes of MaxSize that remain
}

func newItemReader(ctx context.Context, r io.Reader) (*itemReader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	return &itemReader{ctx: ctx, zstd: z, in: bufio.NewReader(z), left: MaxSize}, nil
}

func (i *itemReader) close() { i.zstd.Close() }

// next returns the next item. It checks that memory for times its size is available: for the item and what is
// made of it.
func (i *itemReader) next(times int64) ([]byte, error) {
	if err := i.ctx.Err(); err != nil {
		return nil, err
	}
	n, err := i.length()
	if err != nil {
		return nil, err
	}
	if i.left -= int64(min(n, MaxSize+1)); i.left < 0 {
		return nil, fmt.Errorf("%w: it claims more than %d MiB: %w", ErrTooLarge, MaxSize>>20, tracker.ErrDamaged)
	}
	if err := memory.Check(times * int64(n)); err != nil {
		return nil, err
	}
	item := make([]byte, n)
	for rest := item; len(rest) > 0; {
		if err := i.ctx.Err(); err != nil {
			return nil, err
		}
		read, err := io.ReadFull(i.in, rest[:min(len(rest), portion.Piece)])
		if err != nil {
			return nil, streamError(err)
		}
		rest = rest[read:]
	}
	return item, nil
}

// length reads the length of an item, which must be in its shortest form.
func (i *itemReader) length() (n uint64, err error) {
	for shift := 0; shift < 7*binary.MaxVarintLen32; shift += 7 {
		b, err := i.in.ReadByte()
		if err != nil {
			return 0, streamError(err)
		}
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			if b == 0 && shift > 0 {
				break
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("the length of an item: %w", tracker.ErrDamaged)
}

// decodedSize is the largest ratio between the memory for decoding an item of CBOR and its size: its bytes, the copies
// that show that they are canonical, and the result, in which a position of one byte becomes an int of eight.
const decodedSize = 12

func (i *itemReader) unmarshal(v any) error {
	item, err := i.next(decodedSize)
	if err == nil {
		if err = wire.Unmarshal(item, v); err != nil {
			err = fmt.Errorf("%w: %w", tracker.ErrDamaged, err)
		}
	}
	return err
}

func (i *itemReader) end() error {
	if _, err := i.in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("bytes follow its last record: %w", errors.Join(err, tracker.ErrDamaged))
	}
	return nil
}

// streamError describes a stream that ends early or cannot be unpacked.
func streamError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it ends too early: %w", tracker.ErrDamaged)
	}
	return fmt.Errorf("unpack it: %w: %w", err, tracker.ErrDamaged)
}
