package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"testing"

	"github.com/podtrack/podtrack/replay/explore"
)

// growing returns a walk and first visits of a ring.
func growing() map[string]Figure {
	visits := drawn()["visits"].(FirstVisits)
	visits.states = 8
	return map[string]Figure{"walk": drawn()["walk"], "visits": visits, "visits of a grid": drawn()["visits of a grid"]}
}

// TestAnimation plays animations as a browser does: each frame is the picture at its step, programs that play none show
// the last one, and the bytes are the same each time.
func TestAnimation(t *testing.T) {
	s := Style{Width: 3.25 * 72, DPI: 50, Theme: "dark", Title: true, Animate: true}
	for name, f := range growing() {
		var b, again bytes.Buffer
		if err := Write(&b, f, "png", s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := Write(&again, f, "png", s); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s: two animations of one figure differ: %v", name, err)
		}
		still, err := png.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		from, to := f.(animated).span()
		moments := momentsOf(from, to)
		frames := play(t, b.Bytes())
		if len(frames) != len(moments) {
			t.Fatalf("%s: %d frames of %d moments", name, len(frames), len(moments))
		}
		for i, moment := range moments {
			l, err := arrange(f.(animated).frame(moment), s)
			if err != nil {
				t.Fatal(err)
			}
			if want := l.image(s); !bytes.Equal(frames[i].Pix, want.Pix) {
				t.Errorf("%s: frame %d is not that of step %d", name, i, moment)
			}
			if i > 0 && bytes.Equal(frames[i].Pix, frames[i-1].Pix) {
				t.Errorf("%s: nothing moves in frame %d", name, i)
			}
		}
		last := image.NewRGBA(still.Bounds())
		draw.Draw(last, last.Bounds(), still, image.Point{}, draw.Src)
		if !bytes.Equal(last.Pix, frames[len(frames)-1].Pix) {
			t.Errorf("%s: the still picture is not the last frame", name)
		}
	}
}

// play returns the frames of an animated PNG.
func play(t *testing.T, file []byte) (frames []*image.RGBA) {
	t.Helper()
	var header, control []byte
	var canvas *image.RGBA
	sequence := uint32(0)
	next := func(data []byte) {
		if got := binary.BigEndian.Uint32(data); got != sequence {
			t.Fatalf("chunk %d of the animation comes at place %d", got, sequence)
		}
		sequence++
	}
	for rest := file[len(signature):]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		if sum := crc32.ChecksumIEEE(rest[4 : 8+n]); sum != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Fatalf("the checksum of %s is wrong", kind)
		}
		rest = rest[8+n+4:]
		switch kind {
		case "IHDR":
			header = data
			width, height := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
			canvas = image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
		case "fcTL":
			next(data)
			control = data
		case "fdAT":
			next(data)
			size := func(i int) int { return int(binary.BigEndian.Uint32(control[4+4*i:])) }
			one := append(bytes.Clone(control[4:12]), header[sizeLength:]...)
			picture := append([]byte(signature), chunk("IHDR", one)...)
			picture = append(append(picture, chunk("IDAT", data[4:])...), chunk("IEND", nil)...)
			part, err := png.Decode(bytes.NewReader(picture))
			if err != nil {
				t.Fatal(err)
			}
			area := image.Rect(size(2), size(3), size(2)+size(0), size(3)+size(1))
			if len(frames) == 0 && area != canvas.Bounds() {
				t.Errorf("the first frame is %v", area)
			}
			draw.Draw(canvas, area, part, image.Point{}, draw.Src)
			copied := *canvas
			copied.Pix = bytes.Clone(canvas.Pix)
			frames = append(frames, &copied)
		}
	}
	return frames
}

// TestAnimationLimits: frames, pixels and figures that cannot be animated are bounded before anything is drawn.
func TestAnimationLimits(t *testing.T) {
	if got := momentsOf(5, 1_000_000); len(got) != maxFrames || got[maxFrames-1] != 1_000_000 {
		t.Errorf("%d frames to %d", len(got), got[len(got)-1])
	}
	if got := momentsOf(0, 0); len(got) != 1 {
		t.Errorf("%d frames of no step", len(got))
	}
	long := drawn()["walk"].(Walk)
	long.Steps = 1e6
	large := Style{Width: MaxWidth, DPI: 300, Theme: "light", Animate: true}
	if err := Write(io.Discard, long, "png", large); !errors.Is(err, ErrPixels) {
		t.Errorf("a large animation: %v", err)
	}
	if err := Write(io.Discard, drawn()["spectrum"], "png", Style{Width: 234, Animate: true}); !errors.Is(err, ErrStill) {
		t.Errorf("a spectrum: %v", err)
	}
}

// TestFold: a large space of states is folded into a bounded number of cells, and each state has its cell.
func TestFold(t *testing.T) {
	for _, states := range []int{1, 2, 3, 8, 500, 4096, 4097, 1 << 28} {
		f := newFold(states)
		if f.cells() > maxFolded || f.rows*f.columns < f.cells() || (f.rows-1)*f.columns >= f.cells() {
			t.Errorf("%d states: %+v", states, f)
		}
	}
	v := FirstVisits{First: []explore.FirstVisit{{State: 0}, {State: 7, Steps: 1}, {State: 3, Steps: 5}}, Steps: 9,
		half: 4, states: 8}
	c := v.mapChart(1)
	got := c.panels[0].marks[0].(cells).rows
	// two rows of four: −4 … −1 and 0 … 3
	if len(got) != 2 || got[0][3] != 1 || got[1][0] != 0 || got[1][3] != -1 {
		t.Errorf("the cells are %v", got)
	}
}
