package chart

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"gonum.org/v1/plot/vg/vgimg"
)

func writePNG(w io.Writer, l *Layout) error {
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: l.rasterise()}).WriteTo(&b); err != nil {
		return err
	}
	for _, part := range [][]byte{b.Bytes()[:headerEnd], pixelDensityChunk(), b.Bytes()[headerEnd:]} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// headerEnd is where a PNG's signature and its first chunk, IHDR, end.
const headerEnd = 8 + 4 + 4 + 13 + 4

// pixelDensityChunk returns the chunk that holds the intended size of the picture: pHYs of the PNG
// specification, section 11.3.4.3, in pixels per metre.
func pixelDensityChunk() []byte {
	perMetre := uint32(math.Round(dpi / 0.0254))
	chunk := append(binary.BigEndian.AppendUint32(nil, 9), "pHYs"...) // the length of its data, its kind
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
