package chart

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"gonum.org/v1/plot/vg/vgimg"

	"github.com/podtrack/podtrack/schema"
)

// maxPixels bounds the memory of a PNG to a few hundred megabytes.
const maxPixels = MaxWidth / 72 * MaxHeight / 72 * DPI * DPI

// ErrPixels is the error of a PNG that would take too much memory.
var ErrPixels = errors.New("the picture would have too many pixels")

func writePNG(w io.Writer, l *Layout, dpi int) error {
	if err := checkPixels(l, dpi); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: l.rasterise(dpi)}).WriteTo(&b); err != nil {
		return err
	}
	for _, part := range [][]byte{b.Bytes()[:headerEnd], pixelDensityChunk(dpi), b.Bytes()[headerEnd:]} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// checkPixels returns an [ErrPixels] for a picture of too many pixels.
func checkPixels(l *Layout, dpi int) error {
	if n := l.Width / 72 * l.Height / 72 * float64(dpi*dpi); n > maxPixels {
		return schema.Advise(fmt.Errorf("%w: %.0f million", ErrPixels, n/1e6), AdviceFewerPixels)
	}
	return nil
}

// headerEnd is where a PNG's signature and its first chunk, IHDR, end.
const headerEnd = 8 + 4 + 4 + 13 + 4

// pixelDensityChunk returns the chunk that holds the intended size of the picture: pHYs of the PNG
// specification, section 11.3.4.3, in pixels per metre.
func pixelDensityChunk(dpi int) []byte {
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	chunk := append(binary.BigEndian.AppendUint32(nil, 9), "pHYs"...) // the length of its data, its kind
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
