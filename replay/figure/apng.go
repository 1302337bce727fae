package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"
)

// apng writes an animated PNG: the chunks acTL, fcTL and fdAT of the PNG specification, third edition, beside those
// that image/png writes. A frame has only the pixels that differ from the one before.
type apng struct {
	w        io.Writer
	header   []byte // the data of IHDR, without the size
	sequence uint32 // of the next chunk of the animation
	before   *image.RGBA
}

// errFrames is the error of frames with different sizes or kinds of pixels.
var errFrames = errors.New("the frames are of different kinds")

const (
	signature  = "\x89PNG\r\n\x1a\n"
	sizeLength = 8 // of width and height in IHDR
)

// newAPNG writes what is before the frames, with the picture that programs show that play no animation.
func newAPNG(w io.Writer, still *image.RGBA, frames, dpi int) (*apng, error) {
	header, data, err := encodeChunks(still)
	if err != nil {
		return nil, err
	}
	control := binary.BigEndian.AppendUint32(nil, uint32(frames))
	control = binary.BigEndian.AppendUint32(control, 1) // it is played once
	a := &apng{w: w, header: header[sizeLength:]}
	_, err = io.WriteString(w, signature)
	chunks := [][]byte{chunk("IHDR", header), chunk("acTL", control), pixelDensityChunk(dpi), chunk("IDAT", data)}
	for _, c := range chunks {
		if err == nil {
			_, err = w.Write(c)
		}
	}
	return a, err
}

// add writes a frame that is shown for so many milliseconds.
func (a *apng) add(frame *image.RGBA, wait int) error {
	area := frame.Bounds()
	if a.before != nil {
		if a.before.Bounds() != area {
			return errFrames
		}
		area = changedArea(a.before, frame)
	}
	header, data, err := encodeChunks(frame.SubImage(area).(*image.RGBA))
	if err != nil {
		return err
	}
	if !bytes.Equal(header[sizeLength:], a.header) {
		return errFrames
	}
	control := binary.BigEndian.AppendUint32(nil, a.sequence)
	for _, x := range []int{area.Dx(), area.Dy(), area.Min.X, area.Min.Y} {
		control = binary.BigEndian.AppendUint32(control, uint32(x))
	}
	control = binary.BigEndian.AppendUint16(control, uint16(wait))
	control = binary.BigEndian.AppendUint16(control, 1000)
	control = append(control, 0, 0) // the frame stays, and replaces what is under it
	if _, err := a.w.Write(chunk("fcTL", control)); err != nil {
		return err
	}
	_, err = a.w.Write(chunk("fdAT", append(binary.BigEndian.AppendUint32(nil, a.sequence+1), data...)))
	a.sequence, a.before = a.sequence+2, frame
	return err
}

// close writes the end.
func (a *apng) close() error {
	_, err := a.w.Write(chunk("IEND", nil))
	return err
}

// changedArea returns the rectangle of the pixels that differ, of one pixel if none does.
func changedArea(a, b *image.RGBA) image.Rectangle {
	area := image.Rectangle{}
	bounds := a.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		from, to := a.PixOffset(bounds.Min.X, y), a.PixOffset(bounds.Min.X, y)+4*bounds.Dx()
		rowA, rowB := a.Pix[from:to], b.Pix[from:to]
		if bytes.Equal(rowA, rowB) {
			continue
		}
		first, last := 0, len(rowA)-1
		for rowA[first] == rowB[first] {
			first++
		}
		for rowA[last] == rowB[last] {
			last--
		}
		x := bounds.Min.X
		area = area.Union(image.Rect(x+first/4, y, x+last/4+1, y+1))
	}
	if area.Empty() {
		return image.Rect(bounds.Min.X, bounds.Min.Y, bounds.Min.X+1, bounds.Min.Y+1)
	}
	return area
}

// encodeChunks returns the data of a picture's IHDR, and that of its IDAT chunks.
func encodeChunks(picture *image.RGBA) (header, data []byte, err error) {
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return nil, nil, err
	}
	for rest := b.Bytes()[len(signature):]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		body := rest[8 : 8+n]
		switch string(rest[4:8]) {
		case "IHDR":
			header = body
		case "IDAT":
			data = append(data, body...)
		}
		rest = rest[8+n+4:]
	}
	return header, data, nil
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	c := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	c = append(c, data...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}
