package figure

import (
	"image/color"
	"math"
)

// theme holds the colours of a picture.
type theme struct {
	paper, text, faint, grid, neutral color.NRGBA
	series                            []color.NRGBA
	ramp                              []color.NRGBA // from early to late
	below, above                      color.NRGBA   // ends of the diverging scale, whose middle is the paper
}

// Themes lists the themes of a [Style], the default first.
var Themes = []string{"light", "dark"}

// The colours of Okabe and Ito, in an order in which neighbours differ most. The
// ramps are parts of viridis that stand out from the paper.
var themes = map[string]*theme{
	"light": {
		paper: hex(0xffffff), text: hex(0x1a1a1a), faint: hex(0x595959), grid: hex(0xe4e4e4), neutral: hex(0x8c8c8c),
		series: []color.NRGBA{
			hex(0x0072b2), hex(0xd55e00), hex(0x009e73), hex(0xcc79a7), hex(0xe69f00), hex(0x56b4e9), hex(0x1a1a1a),
		},
		ramp:  []color.NRGBA{hex(0x440154), hex(0x3b528b), hex(0x21918c), hex(0x5ec962), hex(0xc8a415)},
		below: hex(0x0072b2), above: hex(0xd55e00),
	},
	"dark": {
		paper: hex(0x14171c), text: hex(0xececec), faint: hex(0xb0b4ba), grid: hex(0x2f343c), neutral: hex(0x8f959d),
		series: []color.NRGBA{
			hex(0x56b4e9), hex(0xe69f00), hex(0x00b587), hex(0xcc79a7), hex(0xf0e442), hex(0xe8702a), hex(0xececec),
		},
		ramp:  []color.NRGBA{hex(0x6a5acd), hex(0x3f8fc4), hex(0x2fb39a), hex(0x8fd744), hex(0xfde725)},
		below: hex(0x56b4e9), above: hex(0xff8a3c),
	},
}

// maxSeries is how many series have their own colour.
const maxSeries = 7

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xff}
}

// ink is a colour by its meaning.
type ink func(*theme) color.NRGBA

func background(t *theme) color.NRGBA { return t.paper }
func foreground(t *theme) color.NRGBA { return t.text }
func faint(t *theme) color.NRGBA      { return t.faint }
func gridline(t *theme) color.NRGBA   { return t.grid }
func neutral(t *theme) color.NRGBA    { return t.neutral }

// series returns the ink of the i-th series.
func series(i int) ink {
	return func(t *theme) color.NRGBA { return t.series[i%len(t.series)] }
}

// rampInk returns the ink at a position from 0 to 1 on the ramp.
func rampInk(share float64) ink {
	return func(t *theme) color.NRGBA {
		at := min(max(share, 0), 1) * float64(len(t.ramp)-1)
		i := min(int(at), len(t.ramp)-2)
		return mix(t.ramp[i], t.ramp[i+1], at-float64(i))
	}
}

// diverging returns the ink of a value from −1 to 1.
func diverging(x float64) ink {
	return func(t *theme) color.NRGBA {
		if x < 0 {
			return mix(t.paper, t.below, min(-x, 1))
		}
		return mix(t.paper, t.above, min(x, 1))
	}
}

// withOpacity returns a partly transparent ink.
func withOpacity(of ink, opacity float64) ink {
	return func(t *theme) color.NRGBA {
		c := of(t)
		c.A = uint8(math.Round(255 * opacity))
		return c
	}
}

func mix(a, b color.NRGBA, share float64) color.NRGBA {
	part := func(x, y uint8) uint8 {
		return uint8(math.Round(float64(float64(x)*(1-share)) + float64(float64(y)*share)))
	}
	return color.NRGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 0xff}
}
