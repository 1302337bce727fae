package export

import (
	"archive/zip"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/flate"
)

// npz is an archive of arrays, as numpy.savez_compressed writes it or, if mappable, as numpy.savez does, with the bytes
// of each array aligned to a multiple of alignment.
type npz struct {
	zip      *zip.Writer
	out      *countingWriter
	mappable bool
	open     bool // a member is open; its descriptor is not written yet
}

func newNPZ(w io.Writer, mappable bool) *npz {
	out := &countingWriter{w: w}
	n := &npz{zip: zip.NewWriter(out), out: out, mappable: mappable}
	var deflate *flate.Writer // of one member after the other
	n.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (_ io.WriteCloser, err error) {
		if deflate == nil {
			deflate, err = flate.NewWriter(w, deflateLevel)
			return deflate, err
		}
		deflate.Reset(w)
		return deflate, nil
	})
	return n
}

// deflateLevel is the level of compression. The usual one, 6, takes a third longer and saves a hundredth.
const deflateLevel = 3

const (
	// alignment is the alignment of an array's header, and thereby of its elements, in bytes.
	alignment = 64
	// localHeader is the size of the header before a member, without its name and extra field.
	localHeader = 30
	// descriptor is the size of the descriptor after a member below 4 GiB. After a larger member the next array is
	// not aligned, and slower to read.
	descriptor = 16
	// paddingField is the ID of the extra field that Android's zipalign introduced for the same purpose.
	paddingField = 0xd935
)

// member begins the next member of the archive.
func (n *npz) member(name string) (io.Writer, error) {
	if !n.mappable {
		return n.zip.Create(name)
	}
	if err := n.zip.Flush(); err != nil {
		return nil, err
	}
	at := n.out.n + localHeader + int64(len(name))
	if n.open {
		at += descriptor
	}
	n.open = true
	return n.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Extra: padding(at)})
}

// padding returns an extra field that moves the start of a member from offset at to the next multiple of alignment that
// leaves room for the field.
func padding(at int64) []byte {
	const fixed = 4 // ID and size
	size := fixed + int(-(at+fixed)&(alignment-1))
	field := binary.LittleEndian.AppendUint16(make([]byte, 0, size), paddingField)
	field = binary.LittleEndian.AppendUint16(field, uint16(size-fixed))
	return field[:size]
}

// countingWriter counts the bytes that pass through it.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
